// SPDX-License-Identifier: Apache-2.0
// Accounting of the processes that a profile has: of those that run, whose time is still zero, and of one that ended.
#include <gtest/gtest.h>

#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

struct Stats {  // nvmlAccountingStats_t
  unsigned gpu, memory;
  unsigned long long peak, time, start;
  unsigned running, reserved[5];
};
struct StatsV2 {  // nvmlAccountingStats_v2_t
  unsigned pid, running, gpu, memory;
  unsigned long long peak;
  unsigned samples;
  unsigned long long gpu_sum, memory_sum, time, start;
};

class Accounting : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver().init(), kSuccess);
    gpu = driver().device(0);
  }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }
  SharedMachine machine{(source_folder() / "tests/drivers/functions/data/every-counter.yaml").string()};
  Word gpu = 0;
};

TEST_F(Accounting, BothVersionsTellTheSame) {
  Stats stats{};
  ASSERT_EQ(driver().call("nvmlDeviceGetAccountingStats", gpu, 901, &stats), kSuccess);
  EXPECT_EQ(stats.gpu, 40U);
  EXPECT_EQ(stats.peak, 1U << 20);
  EXPECT_EQ(stats.time, 0U);
  EXPECT_EQ(stats.start, 1700000000000000U);
  EXPECT_EQ(stats.running, 1U);
  StatsV2 newer{};
  newer.pid = 901;
  ASSERT_EQ(driver().call("nvmlDeviceGetAccountingStats_v2", gpu, &newer), kSuccess);
  EXPECT_EQ(newer.pid, 901U);
  EXPECT_EQ(newer.gpu, stats.gpu);
  EXPECT_EQ(newer.memory, stats.memory);
  EXPECT_EQ(newer.gpu_sum, 100ULL * newer.gpu * newer.samples) << "hundredths of a percent";
  EXPECT_EQ(newer.start, stats.start);
  newer.pid = 903;
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingStats_v2", gpu, &newer), kNotFound);
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingStats", gpu, 0, &stats), kNotFound);
}

TEST_F(Accounting, WhatHasEndedStandsFirst) {
  unsigned pids[8] = {};
  unsigned count = 8;
  ASSERT_EQ(driver().call("nvmlDeviceGetAccountingPids", gpu, &count, pids), kSuccess);
  ASSERT_GE(count, 3U);
  EXPECT_EQ(pids[0], 800U);
  EXPECT_EQ(pids[1], 901U);
  Stats stats{};
  ASSERT_EQ(driver().call("nvmlDeviceGetAccountingStats", gpu, 800, &stats), kSuccess);
  EXPECT_EQ(stats.gpu, 7U);
  EXPECT_EQ(stats.memory, 3U);
  EXPECT_EQ(stats.peak, 5U << 20);
  EXPECT_EQ(stats.time, 1234U);
  EXPECT_EQ(stats.running, 0U);
  StatsV2 newer{};
  newer.pid = 800;
  ASSERT_EQ(driver().call("nvmlDeviceGetAccountingStats_v2", gpu, &newer), kSuccess);
  EXPECT_EQ(newer.time, 1234U);
  EXPECT_EQ(newer.running, 0U);
  ASSERT_EQ(driver().call("nvmlDeviceGetAccountingStats", gpu, 902, &stats), kSuccess);
  EXPECT_EQ(stats.peak, 9U << 20) << "more than it holds now";
  EXPECT_AS_ROOT(
      [this] { return Steps().expect(driver().call("nvmlDeviceClearAccountingPids", gpu), kSuccess, "clear").said(); });
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingStats", gpu, 800, &stats), kNotFound);
}

TEST_F(Accounting, WithoutTheModeNothingIsKept) {
  machine.change_gpu(0, [](Gpu& state) { state.modes.accounting.set(0); });
  Stats stats{};
  StatsV2 newer{};
  newer.pid = 901;
  unsigned count = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingStats", gpu, 901, &stats), kNotSupported);
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingStats_v2", gpu, &newer), kNotSupported);
  unsigned pids[4] = {};
  count = 4;
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingPids", gpu, &count, pids), kSuccess);
  EXPECT_EQ(count, 0U);
}

TEST_F(Accounting, ClearingKeepsWhatRuns) {
  EXPECT_AS_ROOT(
      [this] { return Steps().expect(driver().call("nvmlDeviceClearAccountingPids", gpu), kSuccess, "clear").said(); });
  Stats stats{};
  EXPECT_EQ(driver().call("nvmlDeviceGetAccountingStats", gpu, 901, &stats), kSuccess);
  EXPECT_EQ(as_nobody([this] {
              return Steps().expect(driver().call("nvmlDeviceClearAccountingPids", gpu), kNoPermission, "clear").said();
            }),
            "");
}

}  // namespace
}  // namespace nvmlab::driver_test
