// SPDX-License-Identifier: Apache-2.0
//
// Locks and application clocks move what the clock getters read, and let go of it again; who may set them.
#include "tests/drivers/functions/support/board.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned kTdp = 0xFFFFFF01;
constexpr unsigned kUnlimited = 0xFFFFFF02;
constexpr std::uint64_t kApplicationClocks = 2;

class ClockSetters : public Board {
 protected:
  // The last row of drivers that has application clocks.
  ClockSetters() : Board(everything(), "580.105.08") {}

  unsigned clock(int type) const {
    unsigned megahertz = 0;
    EXPECT_EQ(call("nvmlDeviceGetClockInfo", type, &megahertz), kSuccess);
    return megahertz;
  }
  bool held_back() const {
    return (get<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons") & kApplicationClocks) != 0;
  }
  int lock(unsigned low, unsigned high) const { return call("nvmlDeviceSetGpuLockedClocks", low, high); }
};

TEST_F(ClockSetters, ALockPullsTheClocksIntoItsRange) {
  ASSERT_EQ(clock(0), 345U);
  EXPECT_FALSE(held_back());
  struct Case {
    unsigned low, high, expected;
    bool held;
  };
  for (const Case& each : {Case{1000, 1400, 1005, true},
                           {200, 345, 345, true},
                           {0, 300, 345, true},
                           {1980, 1980, 1980, false},
                           {997, 1003, 990, true},
                           {0, 5000, 345, false}}) {
    ASSERT_EQ(lock(each.low, each.high), kSuccess) << each.low << "," << each.high;
    EXPECT_EQ(clock(0), each.expected) << each.low << "," << each.high;
    EXPECT_EQ(clock(1), each.expected) << "the SM clock goes along";
    EXPECT_EQ(held_back(), each.held) << each.low << "," << each.high;
  }
  EXPECT_EQ(call("nvmlDeviceResetGpuLockedClocks"), kSuccess);
  EXPECT_EQ(clock(0), 345U);
  EXPECT_EQ(clock(1), 345U);
  EXPECT_FALSE(held_back());
  EXPECT_FALSE(machine.gpu(0).clocks.unlocked_graphics_mhz.has_value());
}

TEST_F(ClockSetters, SymbolsStandForClocksAndDoNotMix) {
  EXPECT_EQ(lock(kTdp, kTdp), kSuccess);
  EXPECT_EQ(clock(0), 1200U);
  EXPECT_EQ(lock(kUnlimited, kTdp), kSuccess);
  EXPECT_EQ(clock(0), 345U) << "an upper bound alone";
  EXPECT_EQ(lock(kTdp, kUnlimited), kSuccess);
  EXPECT_EQ(clock(0), 1200U);
  EXPECT_EQ(lock(kUnlimited, kUnlimited), kSuccess);
  EXPECT_FALSE(machine.gpu(0).clocks.locked_graphics_max_mhz.has_value());
  EXPECT_EQ(clock(0), 345U);
  for (const auto& [low, high] : {std::pair{1000U, kTdp}, {kTdp, 1000U}, {0xFFFFFF03U, kTdp}, {kTdp, 0xFFFFFF07U}})
    EXPECT_EQ(lock(low, high), kInvalidArgument) << low << "," << high;
}

TEST_F(ClockSetters, RangesThatAreNone) {
  EXPECT_EQ(lock(1400, 1000), kInvalidArgument);
  EXPECT_EQ(lock(1981, 3000), kInvalidArgument) << "no clock of the board lies there";
  EXPECT_EQ(lock(0, 0), kInvalidArgument);
  EXPECT_EQ(call("nvmlDeviceSetMemoryLockedClocks", 3000, 4000), kInvalidArgument);
  EXPECT_EQ(clock(0), 345U);
}

TEST_F(ClockSetters, AMemoryLockTakesThePerformanceStateAlong) {
  EXPECT_EQ(get("nvmlDeviceGetPerformanceState"), 0U);
  ASSERT_EQ(call("nvmlDeviceSetMemoryLockedClocks", 1000, 2000), kSuccess);
  EXPECT_EQ(clock(2), 1593U);
  EXPECT_EQ(get("nvmlDeviceGetPerformanceState"), 5U);
  ASSERT_EQ(call("nvmlDeviceResetMemoryLockedClocks"), kSuccess);
  EXPECT_EQ(clock(2), 2619U);
  EXPECT_EQ(get("nvmlDeviceGetPerformanceState"), 0U);
}

TEST_F(ClockSetters, ApplicationClocksCapTheClock) {
  machine.change_gpu(0, [](Gpu& state) {
    state.clocks.graphics_mhz.set(1980);
    state.clocks.sm_mhz.set(1980);
  });
  ASSERT_EQ(call("nvmlDeviceSetApplicationsClocks", 2619, 1500), kSuccess);
  EXPECT_EQ(clock(0), 1500U);
  EXPECT_TRUE(held_back());
  ASSERT_EQ(call("nvmlDeviceResetApplicationsClocks"), kSuccess);
  EXPECT_EQ(clock(0), 1980U);
  EXPECT_FALSE(held_back());
}

TEST_F(ClockSetters, RootOpensApplicationClocksToEverybody) {
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetApplicationsClocks", 2619, 1500), kNoPermission);
  EXPECT_EQ(call("nvmlDeviceSetAPIRestriction", 0, 0), kNoPermission);
  ASSERT_EQ(play("root"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetAPIRestriction", 0, 0), kSuccess);
  int restricted = 77;
  EXPECT_EQ(call("nvmlDeviceGetAPIRestriction", 0, &restricted), kSuccess);
  EXPECT_EQ(restricted, 0);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetApplicationsClocks", 2619, 1500), kSuccess);
  EXPECT_EQ(call("nvmlDeviceResetApplicationsClocks"), kSuccess);
  EXPECT_EQ(lock(1000, 1000), kNoPermission) << "locks stay root's";
  EXPECT_EQ(call("nvmlDeviceResetGpuLockedClocks"), kNoPermission);
  EXPECT_EQ(call("nvmlDeviceSetMemoryLockedClocks", 2619, 2619), kNoPermission);
}

TEST_F(ClockSetters, AutoBoostIsOpenUntilRootRestrictsIt) {
  unsigned now = 77;
  unsigned usual = 77;
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetAutoBoostedClocksEnabled", 0), kSuccess);
  EXPECT_EQ(call("nvmlDeviceGetAutoBoostedClocksEnabled", &now, &usual), kSuccess);
  EXPECT_EQ(std::pair(now, usual), std::pair(0U, 1U));
  EXPECT_EQ(call("nvmlDeviceSetAutoBoostedClocksEnabled", 2), kInvalidArgument);
  EXPECT_EQ(call("nvmlDeviceSetDefaultAutoBoostedClocksEnabled", 0, 0), kNoPermission);
  ASSERT_EQ(play("root"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetAPIRestriction", 1, 1), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetDefaultAutoBoostedClocksEnabled", 0, 0), kSuccess);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetAutoBoostedClocksEnabled", 1), kNoPermission);
}

TEST_F(ClockSetters, RestrictionsAreTwo) {
  for (const int wrong : {2, 3, -1})
    EXPECT_EQ(call("nvmlDeviceSetAPIRestriction", wrong, 0), kInvalidArgument);
  EXPECT_EQ(call("nvmlDeviceSetAPIRestriction", 0, 2), kInvalidArgument);
  machine.change_gpu(0, [](Gpu& state) { state.modes.api_restriction_auto_boost.set_error(kNotSupported); });
  EXPECT_EQ(call("nvmlDeviceSetAPIRestriction", 1, 0), kNotSupported);
}

}  // namespace
}  // namespace nvmlab::driver_test
