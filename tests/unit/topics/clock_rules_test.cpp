// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/clocks/clock_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace nvmlab {
namespace {

List<std::uint16_t, 8> grid() {
  List<std::uint16_t, 8> list{};
  for (const int clock : {1980, 1500, 1005, 990, 345})
    list[list.count++] = static_cast<std::uint16_t>(clock);
  return list;
}

Clocks board() {
  Clocks clocks{};
  clocks.performance_state.set(0);
  clocks.graphics_mhz.set(345);
  clocks.sm_mhz.set(345);
  clocks.memory_mhz.set(2619);
  clocks.max_graphics_mhz.set(1980);
  clocks.event_reasons.set(1);
  clocks.supported.count = 2;
  clocks.supported[0].memory_mhz.set(2619);
  clocks.supported[1].memory_mhz.set(1593);
  for (const std::uint16_t clock : grid())
    clocks.supported[0].graphics_mhz[clocks.supported[0].graphics_mhz.count++] = clock;
  clocks.supported[1].graphics_mhz.count = 1;
  clocks.supported[1].graphics_mhz[0] = 990;
  return clocks;
}

TEST(ClockRules, SettleStaysOnTheGridAndInTheRange) {
  const auto list = grid();
  for (std::uint32_t low = 0; low <= 2000; low += 95) {
    for (std::uint32_t high = low; high <= 2100; high += 105) {
      for (const std::uint32_t wanted : {345U, 1005U, 1980U}) {
        const std::uint32_t clock = settle(wanted, low, high, list);
        EXPECT_NE(std::find(list.begin(), list.end(), clock), list.end()) << clock;
        const bool any = std::any_of(list.begin(), list.end(), [&](auto each) { return each >= low && each <= high; });
        if (any) {
          EXPECT_TRUE(clock >= low && clock <= high) << wanted << " in " << low << "," << high << " is " << clock;
        }
        if (wanted >= low && wanted <= high) {
          EXPECT_EQ(clock, wanted) << "nothing to move";
        }
      }
    }
  }
}

TEST(ClockRules, WithoutAGridTheRangeAloneDecides) {
  const List<std::uint16_t, 8> none{};
  EXPECT_EQ(settle(345, 1000, 1400, none), 1000U);
  EXPECT_EQ(settle(1980, 1000, 1400, none), 1400U);
  EXPECT_EQ(settle(1100, 1000, 1400, none), 1100U);
}

TEST(ClockRules, BetweenTwoStepsTheLowerAndBelowAllTheLowest) {
  EXPECT_EQ(settle(345, 1100, 1200, grid()), 1005U);
  EXPECT_EQ(settle(345, 10, 20, grid()), 345U);
}

TEST(ClockRules, WithoutALockNothingChanges) {
  Clocks clocks = board();
  settle_clocks(clocks);
  EXPECT_EQ(clocks.graphics_mhz.value, 345U);
  EXPECT_EQ(clocks.memory_mhz.value, 2619U);
  EXPECT_EQ(clocks.event_reasons.value, 1U);
  EXPECT_FALSE(clocks.unlocked_graphics_mhz.has_value());
}

TEST(ClockRules, LockAndUnlockComeBackToWhereTheClocksWere) {
  Clocks clocks = board();
  for (const std::uint32_t low : {1500U, 1000U, 1980U}) {  // one lock after the other
    clocks.locked_graphics_min_mhz.set(low);
    clocks.locked_graphics_max_mhz.set(1980);
    settle_clocks(clocks);
    EXPECT_GE(clocks.graphics_mhz.value, low);
    EXPECT_EQ(clocks.unlocked_graphics_mhz.value, 345U);
  }
  clocks.locked_graphics_min_mhz.set_error(kNotSupported);
  clocks.locked_graphics_max_mhz.set_error(kNotSupported);
  settle_clocks(clocks);
  EXPECT_EQ(clocks.graphics_mhz.value, 345U);
  EXPECT_EQ(clocks.sm_mhz.value, 345U);
  EXPECT_FALSE(clocks.unlocked_graphics_mhz.has_value());
}

TEST(ClockRules, AMemoryLockBringsItsOwnGraphicsClocks) {
  Clocks clocks = board();
  clocks.locked_memory_min_mhz.set(0);
  clocks.locked_memory_max_mhz.set(1600);
  clocks.locked_graphics_min_mhz.set(900);
  clocks.locked_graphics_max_mhz.set(1980);
  settle_clocks(clocks);
  EXPECT_EQ(clocks.memory_mhz.value, 1593U);
  EXPECT_EQ(clocks.graphics_mhz.value, 990U) << "the one graphics clock that goes with it";
}

TEST(ClockRules, TheReasonFollowsTheCeiling) {
  Clocks clocks = board();
  clocks.locked_graphics_min_mhz.set(0);
  clocks.locked_graphics_max_mhz.set(1980);
  settle_clocks(clocks);
  EXPECT_EQ(clocks.event_reasons.value, 1U) << "a lock that holds nothing back";
  clocks.locked_graphics_max_mhz.set(1500);
  settle_clocks(clocks);
  EXPECT_EQ(clocks.event_reasons.value, 3U);
  clocks.locked_graphics_max_mhz.set_error(kNotSupported);
  clocks.application_graphics_mhz.set(1500);
  clocks.default_application_graphics_mhz.set(1500);
  settle_clocks(clocks);
  EXPECT_EQ(clocks.event_reasons.value, 1U) << "the default application clock is no choice of the user";
}

}  // namespace
}  // namespace nvmlab
