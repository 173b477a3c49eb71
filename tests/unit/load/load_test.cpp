// SPDX-License-Identifier: Apache-2.0
// What a load does beside limits and locks, what is refused, and how pins lie on top.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/topics/load/motion.hpp"
#include "tests/unit/load/loaded_machine.hpp"

namespace nvmlab::load_test {
namespace {

constexpr std::uint64_t kIdle = 1;
constexpr std::uint64_t kApplications = 2;
constexpr std::uint64_t kCapped = 4;
constexpr std::uint64_t kHot = 0x20;

TEST(Load, RaisesWhatFollowsFromIt) {
  LoadedMachine machine("gpu-h100x1-80gb");
  const auto idle = machine.told();
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(5 * kMinute);
  const auto busy = machine.told();
  EXPECT_NEAR(busy->utilization.gpu_percent.value, 98, 2);
  EXPECT_EQ(busy->clocks.graphics_mhz.value, 1980U);
  EXPECT_EQ(busy->clocks.performance_state.value, 0U);
  EXPECT_GT(busy->power.draw_average_mw.value, 550'000U);
  EXPECT_LT(busy->power.draw_average_mw.value, 700'000U);
  EXPECT_GT(busy->thermal.gpu_c.value, idle->thermal.gpu_c.value + 25);
  EXPECT_LT(busy->thermal.tlimit_c.value, idle->thermal.tlimit_c.value - 25);
  EXPECT_GT(busy->thermal.memory_c.value, idle->thermal.memory_c.value);
  EXPECT_EQ(busy->clocks.event_reasons.value & (kIdle | kCapped | kHot), 0U);
  EXPECT_GT(busy->pci.rx_kbps.value_or(1), idle->pci.rx_kbps.value_or(0));
}

TEST(Load, APowerLimitLowersTheClocksAndSaysWhy) {
  LoadedMachine machine("gpu-h100x1-80gb");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(kMinute);
  const std::uint64_t counted = machine.told()->clocks.sw_power_cap_us.value;
  ASSERT_EQ(machine.make(SetPowerLimit{PowerScope::gpu, 400'000}), kSuccess);
  machine.advance(kMinute);
  const auto capped = machine.told();
  EXPECT_NEAR(capped->power.draw_average_mw.value, 400'000, 6'000);
  EXPECT_LT(capped->clocks.graphics_mhz.value, 1700U);
  EXPECT_EQ(capped->clocks.event_reasons.value & kCapped, kCapped);
  EXPECT_EQ(capped->clocks.sw_power_cap_us.value - counted, 60'000'000U);
  ASSERT_EQ(machine.make(SetPowerLimit{PowerScope::gpu, 700'000}), kSuccess);
  machine.advance(kMinute);
  EXPECT_EQ(machine.told()->clocks.graphics_mhz.value, 1980U);
  EXPECT_EQ(machine.told()->clocks.sw_power_cap_us.value - counted, 60'000'000U);
}

// A fault lies over what moves, which goes on beneath it as without the fault.
TEST(Load, AFaultHoldsWhatMovesAndLeavesItAsItWouldBe) {
  LoadedMachine machine("gpu-h100x1-80gb");
  LoadedMachine twin("gpu-h100x1-80gb");
  constexpr std::uint64_t kHwThermal = 0x40;
  for (LoadedMachine* each : {&machine, &twin}) {
    ASSERT_EQ(each->load(LoadKind::training), kSuccess);
    each->advance(5 * kMinute);
  }
  const std::uint64_t counted = machine.told()->clocks.hw_thermal_slowdown_us.value_or(0);
  ASSERT_EQ(machine.make(InjectFault{FaultKind::thermal_slowdown, 0, kNoInstance, kNoInstance, 1}), kSuccess);
  for (LoadedMachine* each : {&machine, &twin})
    each->advance(kMinute);
  const auto held = machine.told();
  EXPECT_EQ(held->clocks.event_reasons.value & kHwThermal, kHwThermal);
  EXPECT_EQ(held->clocks.graphics_mhz.value, 990U) << "half of the highest";
  EXPECT_GT(held->thermal.gpu_c.value, twin.told()->thermal.gpu_c.value);
  ASSERT_EQ(machine.make(HealFault{true, FaultKind::xid, HealFault::kAnyNumber}), kSuccess);
  for (LoadedMachine* each : {&machine, &twin})
    each->advance(10 * kMinute);
  const auto healed = machine.told();
  const auto never = twin.told();
  EXPECT_EQ(healed->clocks.event_reasons.value, never->clocks.event_reasons.value);
  EXPECT_EQ(healed->clocks.graphics_mhz.value, never->clocks.graphics_mhz.value);
  EXPECT_EQ(healed->thermal.gpu_c.value, never->thermal.gpu_c.value);
  constexpr std::uint64_t kJoule = 1000;  // of 650 kJ: each change begins another segment
  EXPECT_NEAR(static_cast<double>(healed->power.energy_mj.value), static_cast<double>(never->power.energy_mj.value),
              10 * kJoule);
  EXPECT_EQ(healed->clocks.hw_thermal_slowdown_us.value_or(0) - counted, 60'000'000U);
}

TEST(Load, LockedClocksHold) {
  LoadedMachine machine("gpu-h100x1-80gb");
  ASSERT_EQ(machine.make(LockGraphicsClocks{1200, 1200}), kSuccess);
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(kMinute);
  const auto locked = machine.told();
  EXPECT_EQ(locked->clocks.graphics_mhz.value, 1200U);
  EXPECT_EQ(locked->clocks.event_reasons.value, kApplications);
  EXPECT_LT(locked->power.draw_average_mw.value, 450'000U);
  ASSERT_EQ(machine.make(UnlockGraphicsClocks{}), kSuccess);
  EXPECT_EQ(machine.told()->clocks.graphics_mhz.value, 1980U);
  ASSERT_EQ(machine.load(LoadKind::idle), kSuccess);
  machine.advance(kHour);
  EXPECT_EQ(machine.told()->clocks.graphics_mhz.value, 345U) << "where it was before anybody locked it";
}

TEST(Load, HotAirSlowsTheBoardDown) {
  LoadedMachine machine("gpu-h100x1-80gb");
  ASSERT_EQ(machine.make(SetLoad{LoadKind::training, kOfKind, kOfKind, 60, 0}), kSuccess);
  machine.advance(10 * kSecond);
  EXPECT_EQ(machine.told()->clocks.event_reasons.value & kHot, 0U);
  machine.advance(10 * kMinute);
  const auto hot = machine.told();
  EXPECT_EQ(hot->clocks.event_reasons.value & kHot, kHot);
  EXPECT_LT(hot->clocks.graphics_mhz.value, 1980U);
  EXPECT_GE(hot->thermal.tlimit_c.value, 0);
  EXPECT_LE(hot->thermal.tlimit_c.value, 2);
  const std::uint64_t counted = hot->clocks.sw_thermal_slowdown_us.value;
  EXPECT_GT(counted, 300'000'000U);
  machine.advance(kSecond);
  EXPECT_EQ(machine.told()->clocks.sw_thermal_slowdown_us.value - counted, 1'000'000U);
}

TEST(Load, EndsWhenItIsTold) {
  LoadedMachine machine("gpu-h100x1-80gb");
  ASSERT_EQ(machine.load(LoadKind::inference, kMinute), kSuccess);
  machine.advance(kMinute - kSecond);
  EXPECT_GT(machine.told()->utilization.gpu_percent.value, 60U);
  machine.advance(2 * kSecond);
  EXPECT_EQ(machine.told()->utilization.gpu_percent.value, 0U);
  EXPECT_EQ(machine.told()->clocks.graphics_mhz.value, 1980U) << "clocks stay up for a while";
  machine.advance(2 * kSecond);
  EXPECT_EQ(machine.told()->clocks.graphics_mhz.value, 345U);
}

TEST(Load, FansFollowTheTemperatureUnlessSomebodyDrivesThem) {
  LoadedMachine machine("rtx-2080-super-desktop");
  const std::uint32_t slow = machine.told()->thermal.fans[0].speed_percent.value;
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(5 * kMinute);
  EXPECT_GT(machine.told()->thermal.fans[0].speed_percent.value, slow + 5);
  ASSERT_EQ(machine.make(SetFanSpeed{0, 77}), kSuccess);
  machine.advance(kMinute);
  EXPECT_EQ(machine.told()->thermal.fans[0].speed_percent.value, 77U);
  ASSERT_EQ(machine.make(SetFanPolicy{0, 0}), kSuccess);
  EXPECT_NE(machine.told()->thermal.fans[0].speed_percent.value, 77U);
}

TEST(Load, APinLiesOnTop) {
  LoadedMachine machine("gpu-h100x1-80gb");
  Fact<std::uint32_t> cold{};
  cold.set(20);
  PinField pin{offsetof(Gpu, thermal.gpu_c), sizeof cold, {}};
  std::memcpy(pin.value, &cold, sizeof cold);
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  ASSERT_EQ(machine.make(pin), kSuccess);
  machine.advance(kMinute);
  EXPECT_EQ(machine.told()->thermal.gpu_c.value, 20U);
  EXPECT_GT(machine.told()->power.draw_average_mw.value, 500'000U);
  ASSERT_EQ(machine.make(ReleaseField{offsetof(Gpu, thermal.gpu_c)}), kSuccess);
  machine.advance(kMinute);
  EXPECT_GT(machine.told()->thermal.gpu_c.value, 60U);
}

TEST(Load, RefusesWhatThereIsNot) {
  LoadedMachine machine("gpu-h100x1-80gb");
  EXPECT_EQ(machine.load(static_cast<LoadKind>(9)), kInvalidArgument);
  EXPECT_EQ(machine.make(SetLoad{LoadKind::training, 101, kOfKind, kSameAir, 0}), kInvalidArgument);
  EXPECT_EQ(machine.make(SetLoad{LoadKind::training, 90, 101, kSameAir, 0}), kInvalidArgument);
  EXPECT_EQ(machine.make(SetLoad{LoadKind::training, 90, 40, 101, 0}), kInvalidArgument);
  EXPECT_EQ(machine.load(LoadKind::training, kLongestLoadNs + 1), kInvalidArgument);
  EXPECT_FALSE(machine.stored().load.segment.has_value());
}

TEST(Load, OutlastsAReset) {
  LoadedMachine machine("gpu-h100x1-80gb");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(kMinute);
  ASSERT_EQ(machine.make(SetPowerLimit{PowerScope::gpu, 300'000}), kSuccess);
  ASSERT_EQ(machine.make(ResetGpu{}), kSuccess);
  machine.advance(kMinute);
  EXPECT_GT(machine.told()->power.draw_average_mw.value, 500'000U) << "the limit was forgotten, the load was not";
}

}  // namespace
}  // namespace nvmlab::load_test
