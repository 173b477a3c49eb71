// SPDX-License-Identifier: Apache-2.0
// What explain() tells about names of NVML, from the committed facts.
#include "codegen/report/explain.hpp"
#include "codegen/report/whereabouts.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

const Drivers& drivers() {
  static const Drivers loaded = load_drivers(test::source_folder() / "model" / "facts" / "drivers.json").value();
  return loaded;
}

std::string told(std::string_view name) {
  const auto text = explain(test::committed_registry(), drivers(), name);
  return text ? *text : "ERROR " + text.error().message;
}

void expect_says(std::string_view name, const std::vector<std::string>& parts) {
  const std::string text = told(name);
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n--- in ---\n" << text;
}

TEST(Explain, AFunctionWithItsFamilyAndHistory) {
  expect_says("nvmlDeviceGetComputeRunningProcesses_v2",
              {"function, since 11.1\n", "only with NVML_NO_UNVERSIONED_FUNC_DEFS", "11.1 to 11.5.50: nvmlReturn_t",
               "nvmlProcessInfo_t* infos)\n",
               ("nvmlDeviceGetComputeRunningProcesses, nvmlDeviceGetComputeRunningProcesses_v2, "
                "nvmlDeviceGetComputeRunningProcesses_v3"),
               "nvmlDeviceGetComputeRunningProcesses in a C program is nvmlDeviceGetComputeRunningProcesses_v3",
               "450.248.02, 460.106.00", "nvmlProcessInfo_v2_t, 24 bytes"});
}

// What who fixes a getter has to know: where its verdict, its code and its tests stand.
TEST(Explain, WhereAFunctionStands) {
  const auto text = [](std::string_view name) { return whereabouts(test::source_folder(), name).value_or("ERROR"); };
  const std::string read = text("nvmlDeviceGetTemperature");
  EXPECT_NE(read.find("  verdict    {read: {NVML_TEMPERATURE_GPU: thermal.gpu_c}, by: sensorType}\n"), read.npos)
      << read;
  EXPECT_NE(read.find("model/meaning/thermal.yaml:"), read.npos) << read;
  EXPECT_NE(read.find("  generated  simulator/drivers/nvml/generated/exports_thermal.cpp:"), read.npos) << read;
  EXPECT_EQ(read.find("  hook "), read.npos) << "no person wrote its body: " << read;
  EXPECT_NE(read.find("  oracle     "), read.npos) << read;
  EXPECT_NE(read.find("tests/drivers/functions/"), read.npos) << read;
  EXPECT_NE(text("nvmlDeviceGetThermalSettings").find("  hook       simulator/drivers/nvml/hooks/thermal.cpp:"),
            read.npos);
  EXPECT_NE(text("nvmlDeviceSetFanSpeed_v2").find("  rule       simulator/engine/topics/thermal/thermal_changes.cpp:"),
            read.npos);
  EXPECT_NE(text("nvmlDeviceClearEccErrorCounts")
                .find("  verdict    change: ClearEccCounts\n             with:\n               life:\n"),
            read.npos)
      << "in several lines";
  EXPECT_EQ(text("nvmlDeviceGetNothing"), "");
}

TEST(Explain, AFunctionWithAVersionedStruct) {
  expect_says("nvmlDeviceGetMemoryInfo_v2", {"nvmlMemory_v2_t, 40 bytes, version word nvmlMemory_v2 = 0x2000028"});
  expect_says("nvmlDeviceGetHandleBySerial", {"deprecated since 13.0"});
  expect_says("nvmlInit", {"all 10 known"});
  expect_says("nvmlDeviceGetBBXTimeData_v1", {"none of the known ones exports it"});
}

TEST(Explain, FunctionsThatAreGoneOrInNoHeader) {
  expect_says("nvmlGetBlacklistDeviceCount", {"11.0 to 11.2.2, then gone"});
  expect_says("nvmlInternalGetExportTable", {"declared by no known header", "340.108"});
}

TEST(Explain, TypesWithTheirLayout) {
  expect_says("nvmlMemory_v2_t",
              {"40 bytes, aligned to 8", "    32  unsigned long long used", "nvmlDeviceGetMemoryInfo_v2"});
  expect_says("nvmlProcessInfo_t", {"11.0 to 12.2.128, then an alias", "12.2.81 to 12.2.128: 32 bytes",
                                    "another name for nvmlProcessInfo_v2_t"});
  expect_says("nvmlDevice_t", {"opaque handle", "struct nvmlDevice_st"});
  expect_says("nvmlVgpuTypeId_t", {"another name for unsigned int", "nvmlVgpuTypeGetName"});
  expect_says("nvmlReturn_t", {"NVML_SUCCESS = 0, since 11.0"});
}

TEST(Explain, ConstantsThatMoved) {
  expect_says("NVML_FI_PWR_SMOOTHING_ENABLED",
              {"since 13.0.87: 251", "12.9.40 to 13.0.39: 256", "12.8.55 to 12.8.90: 251"});
  expect_says("NVML_TEMPERATURE_THRESHOLD_COUNT", {"enumerator of nvmlTemperatureThresholds_t", "11.0 to"});
}

TEST(Explain, SuggestsTheNearestName) {
  EXPECT_EQ(told("nvmlDeviceGetNmae"),
            "ERROR no known release of NVML has 'nvmlDeviceGetNmae'; did you mean 'nvmlDeviceGetName'?");
  EXPECT_NE(told("zzzzzzzzzzzz").find("write a name as NVIDIA's header does"), std::string::npos);
  EXPECT_NE(told("").find("ERROR"), std::string::npos);
}

TEST(Explain, EveryNameOfEveryKind) {
  const Registry& registry = test::committed_registry();
  const auto try_all = [](const auto& table) {
    for (const auto& [name, spans] : table)
      EXPECT_FALSE(told(name).starts_with("ERROR")) << name;
  };
  try_all(registry.records);
  try_all(registry.enums);
  try_all(registry.typedefs);
  try_all(registry.handles);
}

}  // namespace
}  // namespace nvmlab::codegen
