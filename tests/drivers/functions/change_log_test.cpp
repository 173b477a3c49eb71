// SPDX-License-Identifier: Apache-2.0
// What NVML's setters leave in the log of a machine: who asked for what, and what was refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "engine/change/change.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

class SettersInTheLog : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }

  std::vector<LogEntry> entries() const {
    std::vector<LogEntry> all;
    LogEntry entry{};
    std::uint64_t number = 0;
    for (std::uint64_t place = 0; next_entry(machine.store().log, &place, &entry, &number);)
      all.push_back(entry);
    return all;
  }

  SharedMachine machine{"dgx-h100"};
};

TEST_F(SettersInTheLog, WithPidNameGpuAndArguments) {
  ASSERT_EQ(driver().call("nvmlDeviceSetPowerManagementLimit", driver().device(3), 300000U), kSuccess);
  const auto all = entries();
  ASSERT_EQ(all.size(), 1U);
  const LogEntry& entry = all[0];
  EXPECT_EQ(entry.caller.pid, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(entry.caller.user, ::geteuid());
  EXPECT_EQ(std::strncmp(entry.caller.name, "functions_chang", 15), 0) << entry.caller.name;
  EXPECT_EQ(entry.target.gpu, 3U);
  EXPECT_EQ(entry.code, nvmlab::kSuccess);
  EXPECT_EQ(entry.kind, kKindOf<SetPowerLimit>);
  SetPowerLimit asked{};
  std::memcpy(&asked, entry.body, sizeof asked);
  EXPECT_EQ(asked.milliwatts, 300000U);
}

TEST_F(SettersInTheLog, AlsoWhatIsRefused) {
  EXPECT_NE(driver().call("nvmlDeviceSetPowerManagementLimit", driver().device(0), 1U), kSuccess);
  const auto all = entries();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].code, nvmlab::kInvalidArgument);
}

TEST_F(SettersInTheLog, GettersLeaveNothing) {
  unsigned limit = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetPowerManagementLimit", driver().device(0), &limit), kSuccess);
  EXPECT_TRUE(entries().empty());
}

// In the order of the calls.
TEST_F(SettersInTheLog, OneForEachCall) {
  constexpr unsigned kCalls = 100;
  for (unsigned i = 0; i < kCalls; ++i)
    ASSERT_EQ(driver().call("nvmlDeviceSetPowerManagementLimit", driver().device(i % 8), 300000U + i), kSuccess);
  const auto all = entries();
  ASSERT_EQ(all.size(), kCalls);
  for (unsigned i = 0; i < kCalls; ++i)
    EXPECT_EQ(all[i].target.gpu, i % 8);
}

}  // namespace
}  // namespace nvmlab::driver_test
