// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "import/recording/recording.hpp"
#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using recording::Call;
using recording::Recording;

class Record : public Cli {
 protected:
  Recording recorded(Words run_options, Words record_options = {}) const {
    const std::string path = file("recorded.gz");
    run_options.insert(run_options.begin(), "run");
    run_options.insert(run_options.end(), {"--", program(), "record", "--force", "-o", path});
    run_options.insert(run_options.end(), record_options.begin(), record_options.end());
    EXPECT_THAT(good(run_options), StartsWith(path + ": "));
    return read(path);
  }
  static Recording read(const std::string& path, bool partial = false) {
    auto read = recording::read_file(path, {.partial = partial});
    EXPECT_TRUE(read) << read.error().text();
    return read ? std::move(*read) : Recording{};
  }
  std::string parted() const { return (binary_folder() / "tests/libparted-nvml.so").string(); }
  std::string broken() const { return (binary_folder() / "tests/libbroken-nvml.so").string(); }
};

const Call* find(const Recording& recording, const std::string& function, const std::string& in = "") {
  const auto at = std::ranges::find_if(recording.calls, [&](const Call& call) {
    return call.function == function && (in.empty() || call.in.dump().find(in) != std::string::npos);
  });
  return at == recording.calls.end() ? nullptr : &*at;
}

TEST_F(Record, SaysWhatAMachineAnswers) {
  const Recording all = recorded({"--profile", "dgx-h100"});
  EXPECT_TRUE(all.complete);
  EXPECT_TRUE(all.header.masked);
  EXPECT_EQ(all.header.gpus, 8u);
  EXPECT_EQ(all.header.driver, "580.105.08");
  EXPECT_EQ(all.header.cuda, 13000);
  EXPECT_EQ(all.header.host, "host-1");

  std::map<unsigned, std::set<std::string>> functions;
  unsigned succeeded = 0;
  for (const Call& call : all.calls) {
    if (call.subject.gpu) functions[*call.subject.gpu].insert(call.function);
    EXPECT_TRUE(recording::return_code(call.code)) << call.code;
    EXPECT_TRUE(call.succeeded() || call.out.empty()) << call.function;
    if (call.succeeded()) ++succeeded;
  }
  ASSERT_EQ(functions.size(), 8u);
  for (const auto& [gpu, names] : functions) {
    EXPECT_GE(names.size(), 215u) << gpu;  // of those that the library of driver 580 has
    EXPECT_EQ(names, functions[0]) << gpu;
  }
  EXPECT_GE(succeeded, 8000u);

  const Call* memory = find(all, "nvmlDeviceGetMemoryInfo_v2");
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->in, nlohmann::json({{"version", 2}}));
  EXPECT_EQ(memory->out.at("memory").at("total"), 85520809984u);
  EXPECT_TRUE(memory->out.at("memory").contains("reserved"));
  const Call* clock = find(all, "nvmlDeviceGetMaxClockInfo", "NVML_CLOCK_MEM");
  ASSERT_NE(clock, nullptr);
  EXPECT_EQ(clock->out, nlohmann::json({{"clock", 2619}}));
  const Call* field = find(all, "nvmlDeviceGetFieldValues", "NVML_FI_DEV_POWER_INSTANT");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->number, recording::enumerator("NVML_FI_DEV_POWER_INSTANT"));
  EXPECT_EQ(field->out.at("valueType"), "NVML_VALUE_TYPE_UNSIGNED_INT");
  EXPECT_NE(find(all, "nvmlGpmMetricsGet", "NVML_GPM_METRIC_SM_UTIL"), nullptr);
  const Call* pair = find(all, "nvmlDeviceGetP2PStatus", "NVML_P2P_CAPS_INDEX_NVLINK");
  ASSERT_NE(pair, nullptr);
  EXPECT_EQ(pair->subject.peer, 1u);
  const Call* lookup = find(all, "nvmlDeviceGetHandleByIndex_v2", "3");
  ASSERT_NE(lookup, nullptr);
  EXPECT_EQ(lookup->out, nlohmann::json::parse(R"({"device":{"gpu":3}})"));
}

TEST_F(Record, MasksWhatNamesAUnitAndKeepsItOnRequest) {
  const Recording masked = recorded({"--profile", "dgx-h100"});
  const Recording kept = recorded({"--profile", "dgx-h100"}, {"--identifiers"});
  EXPECT_FALSE(kept.header.masked);
  ASSERT_EQ(masked.calls.size(), kept.calls.size());
  std::map<std::string, std::string> uuids;
  std::set<std::string> serials;
  for (std::size_t i = 0; i < masked.calls.size(); ++i) {
    const Call& a = masked.calls[i];
    const Call& b = kept.calls[i];
    ASSERT_EQ(a.function, b.function);
    if (a.function == "nvmlDeviceGetUUID" && a.subject.gpu) {
      EXPECT_TRUE(uuids.emplace(b.out.at("uuid"), a.out.at("uuid")).second) << b.out;
      EXPECT_THAT(a.out.at("uuid").get<std::string>(), StartsWith("GPU-00000000-0000-0000-0000-00000000000"));
    }
    if (a.function == "nvmlDeviceGetSerial") {
      EXPECT_TRUE(serials.insert(a.out.at("serial")).second);
      EXPECT_NE(a.out, b.out);
      EXPECT_EQ(a.out.at("serial").get<std::string>().size(), b.out.at("serial").get<std::string>().size());
    }
    if (a.function == "nvmlDeviceGetHandleByUUID") {
      EXPECT_EQ(a.in.at("uuid"), uuids[b.in.at("uuid")]);
    }
  }
  EXPECT_EQ(uuids.size(), 8u);
  EXPECT_EQ(serials.size(), 8u);
}

TEST_F(Record, TwiceIsTheSameButForWhatMoves) {
  const std::set<std::string> live = {"nvmlDeviceGetFieldValues", "nvmlDeviceGetSamples",
                                      "nvmlDeviceGetViolationStatus", "nvmlGpmMetricsGet"};
  const Recording first = recorded({"--profile", "g4dn-xlarge"});
  const Recording again = recorded({"--profile", "g4dn-xlarge"});
  ASSERT_EQ(first.calls.size(), again.calls.size());
  for (std::size_t i = 0; i < first.calls.size(); ++i) {
    const Call& a = first.calls[i];
    const Call& b = again.calls[i];
    EXPECT_TRUE(a.function == b.function && a.subject == b.subject && a.in == b.in && a.code == b.code) << a.function;
    if (live.contains(a.function)) continue;
    EXPECT_EQ(a.out, b.out) << a.function;
  }
}

TEST_F(Record, SaysWhatALibraryLacks) {
  const Recording old = recorded({"--profile", "dgx-a100", "--driver", "470"});
  EXPECT_EQ(old.header.driver, "470.256.02");
  const Call* lacking = find(old, "nvmlDeviceGetModuleId");
  ASSERT_NE(lacking, nullptr);
  EXPECT_TRUE(lacking->lacking());
  const Call* setter = find(old, "nvmlDeviceSetHostname_v1");
  ASSERT_NE(setter, nullptr);
  EXPECT_TRUE(setter->lacking());
  EXPECT_EQ(find(old, "nvmlDeviceSetPersistenceMode"), nullptr);
  const auto once = std::ranges::count(old.calls, "nvmlDeviceGetModuleId", &Call::function);
  EXPECT_EQ(once, 1);
}

TEST_F(Record, EntriesOfListsAreReadAsTheDriverHasThem) {
  for (const std::string driver : {"535.54.03", "535.261.03", "550.163.01"}) {
    good({"up", "p", "--profile", "g4dn-xlarge", "--driver", driver});
    good({"set", "--machine", "p",
          "processes.running=[{pid: 11, kinds: 1, used_bytes: 1 GiB}, {pid: 22, kinds: 1, used_bytes: 2 GiB}]"});
    const Recording all = recorded({"--machine", "p"});
    const Call* list = find(all, "nvmlDeviceGetComputeRunningProcesses_v3");
    ASSERT_NE(list, nullptr);
    ASSERT_EQ(list->out.at("infos").size(), 2u) << driver;
    EXPECT_EQ(list->out.at("infos")[1].at("pid"), 22) << driver;
    EXPECT_EQ(list->out.at("infos")[1].at("usedGpuMemory"), 2147483648u) << driver;
    EXPECT_EQ(list->out.at("infos")[0].contains("usedGpuCcProtectedMemory"), driver == "535.54.03");
    EXPECT_NE(find(all, "nvmlSystemGetProcessName", "22"), nullptr);
    good({"down", "p"});
  }
}

TEST_F(Record, NoGpuIsAMachine) {
  const Recording none = recorded({"--gpus", "0"});
  EXPECT_EQ(none.header.gpus, 0u);
  EXPECT_NE(find(none, "nvmlSystemGetDriverVersion"), nullptr);
  EXPECT_TRUE(std::ranges::none_of(none.calls, [](const Call& call) { return call.subject.gpu.has_value(); }));
}

TEST_F(Record, ChangesNothing) {
  good({"up", "ci", "--profile", "dgx-h100"});
  const std::string before = good({"get", "--machine", "ci", "--all", "--json", "modes", "power", "clocks", "ecc"});
  recorded({"--machine", "ci", "--role", "root"});
  EXPECT_EQ(good({"get", "--machine", "ci", "--all", "--json", "modes", "power", "clocks", "ecc"}), before);
}

TEST_F(Record, WhatIsThereIsLeftAlone) {
  ASSERT_TRUE(write_file(file("kept.gz"), "as it was"));
  EXPECT_THAT(bad(1, {"run", "--", program(), "record", "-o", file("kept.gz")}),
              HasSubstr("kept.gz is there already; --force replaces it"));
  EXPECT_EQ(read_file(file("kept.gz")), "as it was");
  EXPECT_THAT(bad(1, {"run", "--", program(), "record", "-o", file("no/folder.gz")}), HasSubstr("No such file"));
  EXPECT_THAT(bad(2, {"record"}), HasSubstr("needs --output"));
  EXPECT_THAT(bad(2, {"record", "-o", file("x"), "--patience", "0"}), HasSubstr("1 to 3600"));
}

TEST_F(Record, WithoutADriverNothingIsWritten) {
  EXPECT_THAT(bad(1, {"run", "--no-driver", "--", program(), "record", "-o", file("none.gz")}),
              HasSubstr("nothing to record"));
  const Outcome without = nvmlab({"record", "-o", file("none.gz"), "--library", "/nowhere/libnvidia-ml.so.1"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_THAT(without.err, HasSubstr("/nowhere/libnvidia-ml.so.1"));
  EXPECT_FALSE(std::filesystem::exists(file("none.gz")));
  EXPECT_FALSE(std::filesystem::exists(file("none.gz.partial")));
}

TEST_F(Record, StandardOutputIsAFile) {
  const Outcome piped = shell("$nvmlab run --profile g4dn-xlarge -- $nvmlab record -o - | zcat | tail -n 1");
  EXPECT_TRUE(piped.ok()) << piped.story();
  EXPECT_THAT(piped.out, StartsWith("{\"complete\":true,\"calls\":"));
}

TEST_F(Record, StrangeAnswersAreRecordedAsTheyAre) {
  const std::string path = file("strange.gz");
  good({"record", "-o", path, "--library", broken()});
  const Recording strange = read(path);
  const Call* text = find(strange, "nvmlDeviceGetBoardPartNumber");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->out, nlohmann::json::parse(R"({"partNumber":{"hex":"61ff"}})"));
  const Call* code = find(strange, "nvmlDeviceGetMinorNumber");
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->code, "4711");
  const Call* list = find(strange, "nvmlDeviceGetSupportedMemoryClocks");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->out.at("count"), 3000);
  EXPECT_EQ(list->out.at("clocksMHz").size(), 3000u);
  EXPECT_EQ(list->out.at("clocksMHz").back(), 2999);
  std::vector<std::string> versions;
  for (const Call& call : strange.calls) {
    if (call.function == "nvmlDeviceGetGpuFabricInfoV") versions.push_back(call.in.at("version").dump() + call.code);
  }
  EXPECT_EQ(versions, (std::vector<std::string>{"3ARGUMENT_VERSION_MISMATCH", "2SUCCESS"}));
}

TEST_F(Record, AsksEverythingThatAGpuIsDividedInto) {
  const std::string path = file("parted.gz");
  good({"record", "-o", path, "--library", parted()});
  const Recording parted = read(path);
  EXPECT_EQ(parted.header.units, 1u);
  std::set<std::string> lines;
  for (const Call& call : parted.calls) {
    if (call.succeeded())
      lines.insert(fmt::format("{}: {} {} {}", call.subject.text(), call.function, call.in.dump(), call.out.dump()));
  }
  for (
      const char* line : {
          R"(gpu 0: nvmlDeviceGetUUID {} {"uuid":"GPU-00000000-0000-0000-0000-000000000001"})",
          R"(gpu 0, mig 1: nvmlDeviceGetUUID {} {"uuid":"MIG-GPU-00000000-0000-0000-0000-000000000001/3/5"})",
          R"(gpu 0, mig 1: nvmlDeviceGetDeviceHandleFromMigDeviceHandle {} {"device":{"gpu":0}})",
          R"(gpu 0, mig 1: nvmlDeviceGetGpuInstanceId {} {"id":3})",
          R"(gpu 0: nvmlDeviceGetMigDeviceHandleByIndex {"index":1} {"migDevice":{"gpu":0,"mig":1}})",
          R"(gpu 0: nvmlDeviceGetGpuInstances {"profileId":19} {"count":1,"gpuInstances":[{"gpu":0,"gpu_instance":3}]})",
          R"(gpu 0: nvmlDeviceGetGpuInstanceById {"id":3} {"gpuInstance":{"gpu":0,"gpu_instance":3}})",
          R"(gpu 0, gpu_instance 3, compute_instance 5: nvmlComputeInstanceGetInfo_v2 {} {"info":{"device":null,"gpuInstance":{"gpu":0,"gpu_instance":3},"id":5,"placement":{"size":0,"start":0},"profileId":0}})",
          R"(unit 0: nvmlUnitGetDevices {} {"deviceCount":1,"devices":[{"gpu":0}]})",
          R"(unit 0: nvmlUnitGetUnitInfo {} {"info":{"firmwareVersion":"","id":"","name":"S-class","serial":"000001"}})",
          R"(vgpu_type 12: nvmlVgpuTypeGetName {} {"size":7,"vgpuTypeName":"twelve"})",
          R"(vgpu 77: nvmlVgpuInstanceGetVmID {} {"vmId":"000000000000000002","vmIdType":"NVML_VGPU_VM_ID_UUID"})",
          R"(gpu 0: nvmlGpmMetricsGet {"metricId":"NVML_GPM_METRIC_SM_UTIL"} {"value":12.5})",
          R"(gpu 0, gpu_instance 3: nvmlGpmMetricsGet {"metricId":"NVML_GPM_METRIC_SM_UTIL"} {"value":12.5})",
      })
    EXPECT_TRUE(lines.contains(line)) << line;
  EXPECT_TRUE(std::ranges::any_of(parted.calls, [](const Call& call) {
    return call.function == "nvmlDeviceReadPRMCounters_v1" && call.succeeded() && call.in.at("localPort") == 4 &&
           call.out.at("value") == 99;
  }));
}

TEST_F(Record, WhatWasRecordedBeforeACrashIsKept) {
  for (const std::string what : {"crash", "abort", "hang"}) {
    environment_["BROKEN_NVML"] = what;
    const std::string path = file(what + ".gz");
    const Outcome outcome = nvmlab({"record", "-o", path, "--library", broken(), "--patience", "1"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
    EXPECT_THAT(outcome.err, HasSubstr("\"nvmlDeviceGetName\",\"gpu\":0"));
    EXPECT_THAT(outcome.err, HasSubstr(what == "hang" ? "did not come back in time" : "crashed"));
    EXPECT_THAT(outcome.err, HasSubstr("--skip"));
    EXPECT_FALSE(std::filesystem::exists(path));
    const Recording kept = read(path + ".partial", true);
    EXPECT_FALSE(kept.complete);
    EXPECT_NE(find(kept, "nvmlDeviceGetBoardPartNumber"), nullptr);
    EXPECT_EQ(find(kept, "nvmlDeviceGetName"), nullptr);
    EXPECT_THAT(shell("zcat " + path + ".partial | tail -n 1").out,
                StartsWith("{\"calling\":\"nvmlDeviceGetName\",\"gpu\":0}"));

    good({"record", "-o", path, "--library", broken(), "--skip", "nvmlDeviceGetName"});
    EXPECT_TRUE(read(path).complete);
  }
}

class RecordAlone : public Record {
 protected:
  void SetUp() override {
    const auto built = binary_folder() / "bin/nvmlab-record";
    if (!std::filesystem::exists(built)) GTEST_SKIP() << "no nvmlab-record in this build";
    std::filesystem::create_directory(file("empty"));
    std::filesystem::copy_file(built, file("empty/nvmlab-record"));
  }
  // In a folder with nothing else, without an environment.
  Outcome alone(const std::string& words, const std::string& environment = "") const {
    return shell("cd " + file("empty") + " && env -i " + environment + " ./nvmlab-record " + words);
  }
  std::string driver() const {
    return "NVMLAB_LIBRARY=" + (binary_folder() / "lib/drivers/595/libnvidia-ml.so.1").string() +
           " NVMLAB_PROFILE=" + file("node.machine");
  }
};

TEST_F(RecordAlone, RecordsWhatTheCommandRecords) {
  good({"compile", "g4dn-xlarge", "-o", file("node.machine")});
  const Outcome outcome = alone("-o recorded.gz", driver());
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const Recording ours = read(file("empty/recorded.gz"));
  const Recording command = recorded({"--profile", "g4dn-xlarge"});
  ASSERT_EQ(ours.calls.size(), command.calls.size());
  for (std::size_t i = 0; i < ours.calls.size(); ++i) {
    EXPECT_EQ(ours.calls[i].function, command.calls[i].function);
    EXPECT_EQ(ours.calls[i].in, command.calls[i].in);
    EXPECT_EQ(ours.calls[i].code, command.calls[i].code) << ours.calls[i].function;
  }
  EXPECT_EQ(alone("-o recorded.gz", driver()).exit_code, 1);
  EXPECT_TRUE(alone("--force --identifiers --output recorded.gz", driver()).ok());
  EXPECT_FALSE(read(file("empty/recorded.gz")).header.masked);
}

TEST_F(RecordAlone, SaysWhatIsWrong) {
  EXPECT_EQ(alone("--help").exit_code, 0);
  EXPECT_THAT(alone("--version").out, StartsWith("nvmlab-record "));
  EXPECT_EQ(alone("").exit_code, 2);
  EXPECT_EQ(alone("--nothing").exit_code, 2);
  EXPECT_EQ(alone("-o").exit_code, 2);
  EXPECT_EQ(alone("-o x --patience y").exit_code, 2);
  EXPECT_EQ(alone("-o /nowhere/x").exit_code, 1);
  EXPECT_EQ(alone("-o x --library /nowhere/x.so").exit_code, 1);
  const Outcome crashed = alone("-o x --library " + broken(), "BROKEN_NVML=crash");
  EXPECT_EQ(crashed.exit_code, 1);
  EXPECT_THAT(crashed.err, StartsWith("nvmlab-record: the library crashed in the call"));
  EXPECT_TRUE(std::filesystem::exists(file("empty/x.partial")));
}

}  // namespace
}  // namespace nvmlab::test
