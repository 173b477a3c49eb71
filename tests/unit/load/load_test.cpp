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
  EXPECT_LT(held->power.draw_average_mw.value, twin.told()->power.draw_average_mw.value * 2 / 3);
  ASSERT_EQ(machine.make(HealFault{true, FaultKind::xid, HealFault::kAnyNumber}), kSuccess);
  for (LoadedMachine* each : {&machine, &twin})
    each->advance(10 * kMinute);
  const auto healed = machine.told();
  const auto never = twin.told();
  EXPECT_EQ(healed->clocks.event_reasons.value, never->clocks.event_reasons.value);
  EXPECT_EQ(healed->clocks.graphics_mhz.value, never->clocks.graphics_mhz.value);
  EXPECT_EQ(healed->thermal.gpu_c.value, never->thermal.gpu_c.value);
  EXPECT_LT(healed->power.energy_mj.value, never->power.energy_mj.value) << "clocks were down for a minute";
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
  EXPECT_EQ(machine.make(SetLoad{LoadKind::training, 90, 40, kSameAir, 0, 101}), kInvalidArgument);
  EXPECT_EQ(machine.make(SetLoad{LoadKind::training, 90, 40, kSameAir, 0, 1, 1, kMostLoadMw + 1}), kInvalidArgument);
  EXPECT_EQ(machine.load(LoadKind::training, kLongestLoadNs + 1), kInvalidArgument);
  EXPECT_FALSE(machine.stored().load.segment.has_value());
}

// Nothing may work on a GPU that is reset, so nothing does once it is back.
TEST(Load, EndsWithAReset) {
  LoadedMachine machine("gpu-h100x1-80gb");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(kMinute);
  const auto busy = machine.told();
  ASSERT_EQ(machine.make(ResetGpu{}), kSuccess);
  machine.advance(2 * kSecond);
  const auto reset = machine.told();
  EXPECT_EQ(reset->utilization.gpu_percent.value, 0U);
  EXPECT_EQ(reset->clocks.graphics_mhz.value, 345U);
  EXPECT_LT(reset->power.draw_average_mw.value, 100'000U);
  EXPECT_GT(reset->thermal.gpu_c.value, 45U) << "it cools down as slowly as ever";
  EXPECT_LT(reset->thermal.gpu_c.value, busy->thermal.gpu_c.value - 10) << "but for the die";
}

// Hardware that halves the clocks lowers what the board draws, and with that how warm it becomes.
TEST(Load, APowerBrakeLowersThePower) {
  LoadedMachine machine("gpu-h100x1-80gb");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(5 * kMinute);
  const auto busy = machine.told();
  ASSERT_EQ(machine.make(InjectFault{FaultKind::power_brake, 0, kNoInstance, kNoInstance, 1}), kSuccess);
  machine.advance(5 * kMinute);
  const auto braked = machine.told();
  EXPECT_EQ(braked->clocks.graphics_mhz.value, 990U);
  EXPECT_EQ(braked->clocks.event_reasons.value, std::uint64_t{0x88}) << "a slowdown by hardware, for the power brake";
  EXPECT_LT(braked->power.draw_average_mw.value, busy->power.draw_average_mw.value * 2 / 3);
  EXPECT_LT(braked->thermal.gpu_c.value, busy->thermal.gpu_c.value - 10);
  ASSERT_EQ(machine.make(HealFault{true, FaultKind::xid, HealFault::kAnyNumber}), kSuccess);
  machine.advance(10 * kMinute);
  EXPECT_EQ(machine.told()->thermal.gpu_c.value, busy->thermal.gpu_c.value);
}

TEST(Load, AFanThatStopsEndsInThermalSlowdown) {
  LoadedMachine machine("rtx-2080-super-desktop");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(20 * kMinute);
  const auto cooled = machine.told();
  EXPECT_EQ(cooled->clocks.event_reasons.value & kHot, 0U);
  ASSERT_EQ(machine.make(InjectFault{FaultKind::fan_stopped, 0, kNoInstance, kNoInstance, 1}), kSuccess);
  machine.advance(10 * kSecond);
  EXPECT_LT(machine.told()->thermal.gpu_c.value, cooled->thermal.gpu_c.value + 8) << "a heat sink takes its time";
  machine.advance(20 * kMinute);
  const auto hot = machine.told();
  EXPECT_EQ(hot->clocks.event_reasons.value & kHot, kHot);
  EXPECT_LT(hot->clocks.graphics_mhz.value, cooled->clocks.graphics_mhz.value);
  EXPECT_LT(hot->power.draw_mw.value, cooled->power.draw_mw.value * 9 / 10);
  EXPECT_GT(hot->thermal.gpu_c.value, cooled->thermal.gpu_c.value + 10);
  ASSERT_EQ(machine.make(HealFault{true, FaultKind::xid, HealFault::kAnyNumber}), kSuccess);
  machine.advance(30 * kMinute);
  EXPECT_EQ(machine.told()->clocks.event_reasons.value & kHot, 0U);
  EXPECT_EQ(machine.told()->thermal.gpu_c.value, cooled->thermal.gpu_c.value);
}

TEST(Load, OfAProcessShowsInItsSharesAndEndsWithIt) {
  LoadedMachine machine("gpu-h100x1-80gb");
  SetLoad load{LoadKind::training, kOfKind, kOfKind, kSameAir, 0};
  load.pid = 4242;
  EXPECT_EQ(machine.make(load), kNotFound);
  StartProcess process{};
  process.pid = 4242;
  process.kinds = 1;
  process.gpu_instance = process.compute_instance = kNoInstance;
  ASSERT_EQ(machine.make(process), kSuccess);
  ASSERT_EQ(machine.make(load), kSuccess);
  machine.advance(kMinute);
  const auto busy = machine.told();
  ASSERT_EQ(busy->processes.running.size(), 1U);
  EXPECT_GT(busy->processes.running.items[0].sm_percent.value, 90U);
  EXPECT_EQ(busy->processes.running.items[0].sm_percent.value, busy->utilization.gpu_percent.value);
  EXPECT_EQ(busy->processes.running.items[0].memory_percent.value, busy->utilization.memory_percent.value);
  ASSERT_EQ(machine.make(EndProcess{4242}), kSuccess);
  machine.advance(kSecond);
  EXPECT_EQ(machine.told()->utilization.gpu_percent.value, 0U);
  ASSERT_EQ(machine.make(process), kSuccess);
  ASSERT_EQ(machine.make(load), kSuccess);
  machine.advance(kMinute);
  ASSERT_EQ(machine.load(LoadKind::inference), kSuccess) << "of nobody";
  machine.advance(kMinute);
  EXPECT_EQ(machine.told()->processes.running.items[0].sm_percent.value, 0U);
}

// As a trace of a board tells it.
TEST(Load, DrawsWhatItIsToldTo) {
  LoadedMachine machine("gpu-h100x1-80gb");
  SetLoad load{LoadKind::training, 80, 30, kSameAir, 0};
  load.power_mw = 512'000;
  load.encoder_percent = 12;
  ASSERT_EQ(machine.make(load), kSuccess);
  machine.advance(kMinute);
  EXPECT_NEAR(machine.told()->power.draw_average_mw.value, 512'000, 8'000);
  EXPECT_NEAR(machine.told()->utilization.encoder_percent.value, 12, 2);
  ASSERT_EQ(machine.make(SetPowerLimit{PowerScope::gpu, 400'000}), kSuccess);
  machine.advance(kMinute);
  EXPECT_NEAR(machine.told()->power.draw_average_mw.value, 400'000, 6'000) << "limits hold";
  load.power_mw = 10'000;
  ASSERT_EQ(machine.make(load), kSuccess);
  machine.advance(kMinute);
  EXPECT_NEAR(machine.told()->power.draw_average_mw.value, 69'000, 3'000) << "what it draws without work";
}

}  // namespace
}  // namespace nvmlab::load_test
