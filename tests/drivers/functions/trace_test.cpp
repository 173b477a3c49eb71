// SPDX-License-Identifier: Apache-2.0
//
// NVMLAB_LOG=trace: each call with its arguments and what it gave back.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "nvmlab/abi/generated/struct_versions.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

using namespace nvml::abi;

// What a process that traces says of these calls.
std::string traced(const std::function<void(const Driver&, Word device)>& calls) {
  const TemporaryFolder folder;
  const std::string log = folder.path() / "log";
  const Environment environment({{"NVMLAB_LOG", "trace:" + log}, {"NVMLAB_PROFILE", "dgx-h100"}});
  in_child([&]() -> std::string {
    const Driver& driver = Driver::get();
    driver.init();
    Word device = 0;
    driver.call("nvmlDeviceGetHandleByIndex_v2", 3, &device);
    calls(driver, device);
    return "";
  });
  return read_file(log);
}

void expect_line(const std::string& log, const std::string& line) {
  EXPECT_NE(log.find("] trace: " + line + "\n"), std::string::npos) << line << "\n--- is not in ---\n" << log;
}

TEST(Trace, NumbersTextsAndDevices) {
  const std::string log = traced([](const Driver& driver, Word device) {
    unsigned value = 0;
    char name[96] = {};
    driver.call("nvmlDeviceGetIndex", device, &value);
    driver.call("nvmlDeviceGetTemperature", device, 0, &value);
    driver.call("nvmlDeviceGetName", device, name, sizeof name);
    driver.call("nvmlDeviceGetName", device, name, 4);
    driver.call("nvmlDeviceGetHandleByUUID", "GPU-x", &device);
  });
  expect_line(log, "nvmlInit_v2() -> 0");
  expect_line(log, "nvmlDeviceGetHandleByIndex_v2(index=3, device=GPU 3) -> 0");
  expect_line(log, "nvmlDeviceGetIndex(device=GPU 3, index=3) -> 0");
  EXPECT_NE(log.find("nvmlDeviceGetTemperature(device=GPU 3, sensorType=0, temp="), std::string::npos) << log;
  expect_line(log, "nvmlDeviceGetName(device=GPU 3, name=\"NVIDIA H100 80GB HBM3\", length=96) -> 0");
  expect_line(log, "nvmlDeviceGetName(device=GPU 3, name=..., length=4) -> 7 (Insufficient Size)");
}

// NVMLAB_RECORD_CALLS: the same for programs, whatever the log says.
TEST(Trace, ARecordOfCallsHasAProcessACodeAndTheCall) {
  const TemporaryFolder folder;
  const std::string record = folder.path() / "calls";
  const Environment environment({{"NVMLAB_RECORD_CALLS", record}, {"NVMLAB_PROFILE", "dgx-h100"}});
  in_child([]() -> std::string {
    const Driver& driver = Driver::get();
    driver.init();
    unsigned value = 0;
    driver.call("nvmlDeviceGetIndex", driver.device(3), &value);
    driver.call("nvmlDeviceGetIndex", 7, &value);
    constexpr unsigned char id[16] = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                      0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};
    const Word* table = nullptr;
    driver.call("nvmlInternalGetExportTable", &table, id);
    reinterpret_cast<int (*)(Word, unsigned*)>(table[108])(driver.device(3), &value);
    driver.shutdown();
    return "";
  });
  const std::string calls = read_file(record);
  for (const char* line :
       {" 0 nvmlInit_v2()\n", " 0 nvmlDeviceGetHandleByIndex_v2(index=3, device=GPU 3)\n",
        " 0 nvmlDeviceGetIndex(device=GPU 3, index=3)\n", " 2 nvmlDeviceGetIndex(device=0x7, index=...)\n",
        " 0 nvmlInternalSlot108(device=GPU 3, limit=700000)\n", " 0 nvmlShutdown()\n"})
    EXPECT_NE(calls.find(line), std::string::npos) << line << "--- is not in ---\n" << calls;
}

TEST(Trace, MembersOfStructs) {
  const std::string log = traced([](const Driver& driver, Word device) {
    nvmlUtilization_t use{};
    driver.call("nvmlDeviceGetUtilizationRates", device, &use);
    nvmlMemory_v2_t memory{};
    driver.call("nvmlDeviceGetMemoryInfo_v2", device, &memory);
    memory.version = struct_version::Memory_v2;
    driver.call("nvmlDeviceGetMemoryInfo_v2", device, &memory);
    nvmlPciInfo_t pci{};
    driver.call("nvmlDeviceGetPciInfo_v3", device, &pci);
  });
  expect_line(log, "nvmlDeviceGetUtilizationRates(device=GPU 3, utilization={gpu=0, memory=0}) -> 0");
  expect_line(log, "nvmlDeviceGetMemoryInfo_v2(device=GPU 3, memory=...) -> 25 (Argument version mismatch)");
  EXPECT_NE(log.find("memory={version=33554472, total=85520809984, reserved="), std::string::npos) << log;
  EXPECT_NE(log.find("pci={busIdLegacy=\""), std::string::npos) << log;
}

// A list that has no room may stand behind any pointer; only its length is looked at.
TEST(Trace, ListsWithoutRoom) {
  const std::string log = traced([](const Driver& driver, Word device) {
    unsigned count = 0;
    driver.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, Word{8});
    driver.call("nvmlDeviceGetSupportedMemoryClocks", device, &count, nullptr);
  });
  expect_line(log, "nvmlDeviceGetComputeRunningProcesses_v3(device=GPU 3, infoCount=0, infos=...) -> 0");
  expect_line(log,
              "nvmlDeviceGetSupportedMemoryClocks(device=GPU 3, count=2, clocksMHz=NULL) -> 7 (Insufficient Size)");
}

}  // namespace
}  // namespace nvmlab::driver_test
