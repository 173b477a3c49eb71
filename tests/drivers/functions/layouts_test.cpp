// SPDX-License-Identifier: Apache-2.0
//
// What is written where: no function writes a byte beyond what its caller allocated (the layouts of old callers
// included), and a call that is refused leaves every output as it was.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>

#include "engine/store/store.hpp"
#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

// Codes that come with a count.
bool tells_count(int code) { return code == kInsufficientSize || code == kNotFound; }

std::string call_everything(const Driver& driver, unsigned gpus) {
  std::string said;
  for (const FunctionFacts& function : Api::get().functions()) {
    if (function.before_init() || !function.in_driver(Api::kNewestDriver)) continue;
    const std::string about = in_child([&] {
      std::string wrong;
      for (unsigned gpu = 0; gpu < gpus; ++gpu) {
        Arguments arguments(function, driver.device(gpu));
        const int code = arguments.call();
        if (code != kSuccess && !tells_count(code) && arguments.changed())
          wrong += fmt::format("answered {} and wrote; ", code);
        if (tells_count(code) && arguments.changed_beyond_counts())
          wrong += fmt::format("answered {} and wrote more than a count; ", code);
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
          GuardedPage& page = arguments.memory(i);
          if (page.changed_outside(0, page.size())) wrong += "wrote before " + function.parameters[i].name + "; ";
          if (function.parameters[i].type.constant && page.changed())
            wrong += "changed its input " + function.parameters[i].name + "; ";
        }
      }
      return wrong;
    });
    if (!about.empty()) said += function.name + ": " + about + "\n";
  }
  return said;
}

class Layouts : public testing::TestWithParam<const char*> {};

TEST_P(Layouts, NobodyWritesBeyondItsOutputsOrAfterARefusal) {
  const Driver& driver = Driver::get();
  const SharedMachine machine(GetParam());
  ASSERT_EQ(driver.init(), kSuccess);
  EXPECT_EQ(call_everything(driver, 1), "");
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

// The same with every field of the machine holding a value, so that no function gets away by refusing.
TEST_P(Layouts, NorWhenEveryFieldHasAValue) {
  const Driver& driver = Driver::get();
  const SharedMachine machine(GetParam());
  machine.fill_gpu(0);
  ASSERT_EQ(driver.init(), kSuccess);
  EXPECT_EQ(call_everything(driver, 1), "");
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

INSTANTIATE_TEST_SUITE_P(Machines, Layouts, testing::Values("dgx-a100", "dgx-h100", "g4dn-xlarge"),
                         [](const auto& machine) {
                           return std::string(machine.param).substr(0, 3) == "g4d"
                                      ? std::string("t4")
                                      : std::string(machine.param).substr(4);
                         });

class OldLayouts : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver.init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver.shutdown(), kSuccess); }
  const Driver& driver = Driver::get();
};

TEST_F(OldLayouts, TheFirstTwoPciInfosFillThirtySixBytes) {
  for (const char* name : {"nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2"}) {
    GuardedPage page;
    std::byte* info = page.place(36);
    ASSERT_EQ(driver.call(name, driver.device(0), info), kSuccess) << name;
    EXPECT_STREQ(reinterpret_cast<const char*>(info), "0000:06:00.0") << name;
    std::uint32_t numbers[5];
    std::memcpy(numbers, info + 16, sizeof numbers);
    EXPECT_EQ(numbers[1], 6U);
    EXPECT_EQ(numbers[3], 0x20B010DEU);
    EXPECT_EQ(numbers[4], 0x134F10DEU);
  }
  GuardedPage page;
  std::byte* info = page.place(68);
  ASSERT_EQ(driver.call("nvmlDeviceGetPciInfo_v3", driver.device(0), info), kSuccess);
  EXPECT_STREQ(reinterpret_cast<const char*>(info + 36), "00000000:06:00.0");
}

TEST(OldProcessLists, EntriesHaveSixteenAndTwentyFourBytes) {
  const SharedMachine machine("dgx-a100");
  machine.change_gpu(0, [](Gpu& gpu) {
    gpu.processes.running.count = 2;
    for (std::uint32_t i = 0; i < 2; ++i) {
      auto& process = gpu.processes.running[i];
      process.pid.set(4000 + i);
      process.kinds.set(7);
      process.used_bytes.set(std::uint64_t{1} << (30 + i));
    }
  });
  const Driver& driver = Driver::get();
  ASSERT_EQ(driver.init(), kSuccess);
  const Word device = driver.device(0);
  for (const char* kind : {"Compute", "Graphics", "MPSCompute"}) {
    for (const auto& [version, entry] : {std::pair{"", 16U}, std::pair{"_v2", 24U}, std::pair{"_v3", 24U}}) {
      const std::string name = fmt::format("nvmlDeviceGet{}RunningProcesses{}", kind, version);
      GuardedPage page;
      std::byte* entries = page.place(2 * entry);
      unsigned count = 2;
      ASSERT_EQ(driver.call(name, device, &count, entries), kSuccess) << name;
      ASSERT_EQ(count, 2U);
      for (unsigned i = 0; i < 2; ++i) {
        unsigned pid = 0;
        std::uint64_t used = 0;
        std::memcpy(&pid, entries + i * entry, sizeof pid);
        std::memcpy(&used, entries + i * entry + 8, sizeof used);
        EXPECT_EQ(pid, 4000 + i) << name;
        EXPECT_EQ(used, std::uint64_t{1} << (30 + i)) << name;
        if (entry == 16) continue;
        unsigned instance = 0;
        std::memcpy(&instance, entries + i * entry + 16, sizeof instance);
        EXPECT_EQ(instance, 0xFFFFFFFFU) << "no MIG";
      }
    }
  }
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

}  // namespace
}  // namespace nvmlab::driver_test
