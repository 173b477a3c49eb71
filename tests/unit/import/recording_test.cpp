// SPDX-License-Identifier: Apache-2.0
//
// Recordings made up line by line: which field a call tells, what a return code tells, and what becomes of calls that
// contradict one another, are unknown or make no sense. tests/import/recordings/ has whole recordings.
#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/compile.hpp"
#include "compiler/paths.hpp"
#include "import/importer.hpp"

namespace nvmlab::importer {
namespace {

// A call about GPU 0, unless the subject says otherwise.
std::string call(const std::string& function, const std::string& in, const std::string& code, const std::string& out,
                 const std::string& subject = R"("gpu":0,)") {
  return fmt::format(R"({{"call":"{}",{}{}"code":"{}"{}}})"
                     "\n",
                     function, subject, in.empty() ? "" : fmt::format(R"("in":{{{}}},)", in), code,
                     out.empty() ? "" : fmt::format(R"(,"out":{{{}}})", out));
}

std::string good(const std::string& function, const std::string& in, const std::string& out) {
  return call(function, in, "SUCCESS", out);
}

std::string field(const std::string& id, int scope, const std::string& code, const std::string& value) {
  return call("nvmlDeviceGetFieldValues", fmt::format(R"("fieldId":"NVML_FI_{}","scopeId":{})", id, scope), code,
              value.empty() ? "" : fmt::format(R"("valueType":"NVML_VALUE_TYPE_UNSIGNED_INT","value":{})", value));
}

// A whole recording of one GPU of a made-up kind; GPU 1 is there when a line names it.
std::string recording(const std::string& lines, unsigned gpus = 1) {
  std::string text = fmt::format(
      R"({{"nvmlab_recording":1,"tool":"t","header":"h","taken":"","masked":true,"host":"h","library":"l","driver":"580.105.08","gpus":{},"units":0}})"
      "\n",
      gpus);
  std::string body = call("nvmlSystemGetDriverVersion", "", "SUCCESS", R"("version":"580.105.08")", "") +
                     good("nvmlDeviceGetName", "", R"("name":"NVIDIA X100")") +
                     good("nvmlDeviceGetArchitecture", "", R"("arch":9)") +
                     good("nvmlDeviceGetPciInfo_v3", "",
                          R"("pci":{"domain":0,"bus":7,"device":0,"pciDeviceId":590352606,"pciSubSystemId":0})") +
                     lines;
  const auto calls = std::count(body.begin(), body.end(), '\n');
  return text + body + fmt::format("{{\"complete\":true,\"calls\":{}}}\n", calls);
}

struct Made {
  Imported imported;
  std::optional<compiler::Machine> machine;

  std::string value(std::string_view name, std::uint32_t gpu = 0) const {
    const auto ref = compiler::find_field(name);
    if (!ref || !machine) return "?";
    const auto* owner = ref->topic->of_node ? reinterpret_cast<const std::byte*>(&machine->node())
                                            : reinterpret_cast<const std::byte*>(&machine->gpu(gpu));
    return *compiler::format_field(*ref, owner, compiler::Style::yaml);
  }
};

Made make(const std::string& text) {
  const Input input{"in.rec", text};
  auto imported = import_captures({&input, 1}, "m");
  if (!imported) {
    ADD_FAILURE() << fmt::format("{}", fmt::join(imported.error(), "\n"));
    return {};
  }
  auto machine = compiler::compile_text(imported->yaml, "m.yaml", "m");
  EXPECT_TRUE(machine.has_value()) << imported->yaml;
  Made made{std::move(*imported), std::nullopt};
  if (machine) made.machine = std::move(*machine);
  return made;
}

std::string refusal(const std::string& text) {
  const Input input{"in.rec", text};
  const auto imported = import_captures({&input, 1}, "m");
  return imported ? "" : imported.error().front();
}

TEST(Recording, ReadVerdictsRunBackwards) {
  const auto made = make(recording(good("nvmlDeviceGetPowerUsage", "", R"("power":68570)") +
                                   good("nvmlDeviceGetUtilizationRates", "", R"("utilization":{"gpu":37,"memory":4})") +
                                   good("nvmlDeviceGetClockInfo", R"("type":"NVML_CLOCK_SM")", R"("clock":345)") +
                                   good("nvmlDeviceGetSerial", "", R"("serial":"0000000000001")") +
                                   good("nvmlDeviceGetTemperatureThreshold",
                                        R"("thresholdType":"NVML_TEMPERATURE_THRESHOLD_SHUTDOWN")", R"("temp":92)")));
  EXPECT_EQ(made.value("system.driver_version"), "580.105.08");
  EXPECT_EQ(made.value("power.draw_mw"), "68570");
  EXPECT_EQ(made.value("utilization.gpu_percent"), "37");
  EXPECT_EQ(made.value("utilization.memory_percent"), "4");
  EXPECT_EQ(made.value("clocks.sm_mhz"), "345");
  EXPECT_EQ(made.value("identity.serial"), "0000000000001");
  EXPECT_EQ(made.value("thermal.shutdown_c"), "92");
  EXPECT_EQ(made.value("identity.architecture"), "hopper");
  EXPECT_TRUE(made.imported.notes.empty()) << made.imported.notes.front();
}

TEST(Recording, ReturnCodesAreAnswersWhereTheySayAnythingOfTheBoard) {
  const auto made = make(recording(call("nvmlDeviceGetPowerUsage", "", "NOT_SUPPORTED", "") +
                                   call("nvmlDeviceGetDisplayMode", "", "DEPRECATED", "") +
                                   call("nvmlDeviceGetPersistenceMode", "", "GPU_IS_LOST", "") +
                                   call("nvmlDeviceGetComputeMode", "", "FUNCTION_NOT_FOUND", "")));
  EXPECT_EQ(made.value("power.draw_mw"), "null");
  EXPECT_EQ(made.value("modes.display_mode"), "{answer: DEPRECATED}");
  EXPECT_EQ(made.value("modes.persistence"), "{answer: GPU_IS_LOST}");
  EXPECT_EQ(made.value("modes.compute_mode"), "default") << "a driver without the function does not tell";
}

TEST(Recording, FieldIdsAreFieldsAndItemsOfLists) {
  const auto made = make(recording(
      field("DEV_POWER_AVERAGE", 0, "SUCCESS", "60000") + field("DEV_POWER_AVERAGE", 2, "SUCCESS", "20000") +
      field("DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN", 0, "SUCCESS", "5000000") +
      field("DEV_NVLINK_LINK_COUNT", 0, "SUCCESS", "2") + field("DEV_NVLINK_GET_SPEED", 0, "SUCCESS", "26562") +
      field("DEV_NVLINK_GET_SPEED", 1, "NOT_SUPPORTED", "") +
      good("nvmlDeviceGetNvLinkState", R"("link":0)", R"("isActive":"NVML_FEATURE_ENABLED")") +
      good("nvmlDeviceGetNvLinkState", R"("link":1)", R"("isActive":"NVML_FEATURE_DISABLED")") +
      good("nvmlDeviceGetNvLinkCapability", R"("link":0,"capability":"NVML_NVLINK_CAP_P2P_SUPPORTED")",
           R"("capResult":1)") +
      good("nvmlDeviceGetNvLinkCapability", R"("link":0,"capability":"NVML_NVLINK_CAP_VALID")", R"("capResult":1)")));
  EXPECT_EQ(made.value("power.draw_average_mw"), "60000");
  EXPECT_EQ(made.value("power.memory_draw_average_mw"), "20000");
  EXPECT_EQ(made.value("clocks.sw_thermal_slowdown_us"), "5000");
  EXPECT_EQ(made.value("nvlink.links"), "[{active: active, speed_mbps: 26562, capabilities: 33}, {active: inactive}]");
}

TEST(Recording, ListsArePutTogetherFromTheirCalls) {
  const auto made = make(recording(
      good("nvmlDeviceGetSupportedMemoryClocks", "", R"("count":1,"clocksMHz":[2619])") +
      good("nvmlDeviceGetSupportedGraphicsClocks", R"("memoryClockMHz":2619)", R"("count":2,"clocksMHz":[1980,345])") +
      good("nvmlDeviceGetNumFans", "", R"("numFans":1)") +
      good("nvmlDeviceGetFanSpeed_v2", R"("fan":0)", R"("speed":33)") +
      call("nvmlDeviceGetTargetFanSpeed", R"("fan":0)", "UNKNOWN", "") +
      good(
          "nvmlDeviceGetComputeRunningProcesses_v3", "",
          R"("infoCount":1,"infos":[{"pid":77,"usedGpuMemory":1048576,"gpuInstanceId":4294967295,"computeInstanceId":4294967295}])") +
      good("nvmlDeviceGetMPSComputeRunningProcesses_v3", "",
           R"("infoCount":1,"infos":[{"pid":77,"usedGpuMemory":1048576}])") +
      call("nvmlSystemGetProcessName", R"("pid":77)", "SUCCESS", R"("name":"train: me")", "")));
  EXPECT_EQ(made.value("clocks.supported"), "[{memory_mhz: 2619, graphics_mhz: [1980, 345]}]");
  EXPECT_EQ(made.value("thermal.fans"), "[{speed_percent: 33, target_percent: {answer: UNKNOWN}}]");
  EXPECT_EQ(made.value("processes.running"), "[{pid: 77, kinds: 5, used_bytes: 1048576, name: \"train: me\"}]");
}

TEST(Recording, GpusSitWhereTheirPairsSay) {
  const auto second = [](const std::string& function, const std::string& in, const std::string& out) {
    return call(function, in, "SUCCESS", out, R"("gpu":1,)");
  };
  const auto made =
      make(recording(good("nvmlDeviceGetMemoryAffinity", R"("nodeSetSize":1,"scope":0)", R"("nodeSet":[8])") +
                         second("nvmlDeviceGetName", "", R"("name":"NVIDIA X100")") +
                         second("nvmlDeviceGetPciInfo_v3", "",
                                R"("pci":{"domain":0,"bus":8,"device":0,"pciDeviceId":590352606,"pciSubSystemId":0})") +
                         second("nvmlDeviceGetMemoryAffinity", R"("nodeSetSize":1,"scope":0)", R"("nodeSet":[8])") +
                         call("nvmlDeviceGetTopologyCommonAncestor", "", "SUCCESS",
                              R"("pathInfo":"NVML_TOPOLOGY_HOSTBRIDGE")", R"("gpu":0,"peer":1,)"),
                     2));
  EXPECT_EQ(made.imported.summary, "2 GPUs, 1 board");
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(made.value("topology.numa_node", i), "3");
    EXPECT_EQ(made.value("topology.root_complex", i), "0");
    EXPECT_EQ(made.value("topology.pcie_switch", i), std::to_string(i));
  }
}

TEST(Recording, AContradictionIsNotedWithBothLines) {
  const auto made = make(
      recording(good("nvmlDeviceGetMaxClockInfo", R"("type":"NVML_CLOCK_SM")", R"("clock":1980)") +
                field("DEV_POWER_MAX_LIMIT", 0, "SUCCESS", "700000") +
                good("nvmlDeviceGetPowerManagementLimitConstraints", "", R"("minLimit":200000,"maxLimit":650000)") +
                good("nvmlDeviceGetMemoryAffinity", R"("scope":0)", R"("nodeSet":[1])")));
  ASSERT_EQ(made.imported.notes.size(), 1U);
  EXPECT_NE(made.imported.notes[0].find("in.rec:7: "), std::string::npos) << made.imported.notes[0];
  EXPECT_NE(made.imported.notes[0].find("line 8 says"), std::string::npos) << made.imported.notes[0];
  EXPECT_NE(made.imported.notes[0].find("power.max_limit_mw"), std::string::npos) << made.imported.notes[0];
}

TEST(Recording, WhatIsUnknownOrMakesNoSenseIsNotedAndLeftOut) {
  const auto made = make(recording(
      good("nvmlDeviceGetMoonPhase_v7", "", R"("phase":3)") + call("nvmlDeviceGetPowerUsage", "", "31337", "") +
      good("nvmlDeviceGetPerformanceState", "", R"("pState":99)") + good("nvmlDeviceGetSerial", "", R"("serial":[])") +
      field("DEV_FROM_THE_FUTURE", 0, "SUCCESS", "1") + good("nvmlDeviceGetNumFans", "", R"("numFans":400)")));
  std::string notes = fmt::format("{}", fmt::join(made.imported.notes, "\n"));
  for (const auto* said : {"nvmlDeviceGetMoonPhase_v7", "99", "serial is no text", "400 items"})
    EXPECT_NE(notes.find(said), std::string::npos) << said << " is not in:\n" << notes;
  EXPECT_EQ(made.value("power.draw_mw"), "{answer: 31337}") << "a code may be newer than the names of codes";
}

TEST(Recording, DamageIsAnErrorWithItsLine) {
  const auto whole = recording("");
  EXPECT_NE(refusal(whole.substr(0, whole.size() - 12)), "");
  EXPECT_NE(refusal(whole.substr(0, whole.find('\n') + 1)), "");
  auto broken = whole;
  broken.replace(broken.find("NVIDIA X100") - 1, 1, "");
  EXPECT_TRUE(refusal(broken).starts_with("in.rec:3:")) << refusal(broken);
}

// Whatever a recording holds, it is imported or refused.
TEST(Recording, HostileLinesDoNotCrash) {
  const std::string line = R"({"call":"nvmlDeviceGetFieldValues","gpu":0,"in":{"fieldId":"NVML_FI_DEV_ECC_CURRENT",)"
                           R"("scopeId":0},"code":"SUCCESS","out":{"value":1}})";
  const std::vector<std::string> parts{"[]",    "{}",         "null", "-1", "1e99", "\"x\"", "18446744073709551615",
                                       "[[1]]", "{\"a\":{}}", "true"};
  const std::vector<std::string> functions{"nvmlDeviceGetNumFans",
                                           "nvmlDeviceGetSupportedMemoryClocks",
                                           "nvmlDeviceGetComputeRunningProcesses_v3",
                                           "nvmlDeviceGetGpuInstanceProfileInfoV",
                                           "nvmlDeviceGetBridgeChipInfo",
                                           "nvmlDeviceGetPciInfo_v3",
                                           "nvmlDeviceWorkloadPowerProfileGetProfilesInfo",
                                           "nvmlGpmMetricsGet",
                                           "nvmlDeviceGetGpuFabricInfo_v4"};
  const std::vector<std::string> outputs{"numFans", "clocksMHz",    "infos", "info",         "bridgeHierarchy",
                                         "pci",     "profilesInfo", "value", "gpuFabricInfo"};
  std::mt19937 random(20);
  const auto pick = [&random](const auto& all) { return all[random() % all.size()]; };
  for (int round = 0; round < 300; ++round) {
    std::string lines = line + "\n";
    for (int i = 0; i < 4; ++i) {
      lines += good(pick(functions), fmt::format(R"("profile":{},"metricId":{},"fan":{})", pick(parts), pick(parts), i),
                    fmt::format(R"("{}":{},"{}":{})", pick(outputs), pick(parts), pick(outputs), pick(parts)));
    }
    const Input input{"in.rec", recording(lines)};
    const auto imported = import_captures({&input, 1}, "m");
    EXPECT_TRUE(imported.has_value() || !imported.error().empty());
  }
}

}  // namespace
}  // namespace nvmlab::importer
