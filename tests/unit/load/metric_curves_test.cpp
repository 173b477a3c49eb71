// SPDX-License-Identifier: Apache-2.0
// Readings that follow curves: what NVIDIA's Go mock promises of its dynamic metrics, as functions of machine time.
#include "engine/topics/load/metric_curves.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <set>

#include "tests/unit/load/loaded_machine.hpp"

namespace nvmlab::load_test {
namespace {

SetMetricCurves warm() {
  SetMetricCurves curves{};
  curves.which = kTemperatureCurve;
  curves.base_c = 40;
  curves.ramp_c = 20;
  curves.ramp_period_s = 80;
  return curves;
}

class MetricCurves : public testing::Test {
 protected:
  std::uint32_t celsius() const { return machine.told()->thermal.gpu_c.value_or(0); }

  LoadedMachine machine{"dgx-h100"};
};

TEST_F(MetricCurves, ATemperatureRisesAndFallsAsASineWave) {
  ASSERT_EQ(machine.make(warm()), kSuccess);
  EXPECT_EQ(celsius(), 50U) << "a sine wave begins half way";
  machine.advance(20 * kSecond);
  EXPECT_EQ(celsius(), 60U);
  machine.advance(40 * kSecond);
  EXPECT_EQ(celsius(), 40U);
  machine.advance(10 * kSecond);  // 40 + 10 * (1 - sin(45 degrees))
  EXPECT_EQ(celsius(), 43U);
}

TEST_F(MetricCurves, TLimitFollowsTheTemperature) {
  const auto before = machine.told();
  const int limit = before->thermal.tlimit_c.value + static_cast<int>(before->thermal.gpu_c.value);
  ASSERT_EQ(machine.make(warm()), kSuccess);
  machine.advance(20 * kSecond);
  EXPECT_EQ(machine.told()->thermal.tlimit_c.value, limit - 60);
}

TEST_F(MetricCurves, TheSameSeedIsTheSameCurveAndNobodyWrites) {
  LoadedMachine other("dgx-h100");
  LoadedMachine third("dgx-h100");
  SetMetricCurves curves = warm();
  curves.variance_c = 5;
  curves.seed = 42;
  ASSERT_EQ(machine.make(curves), kSuccess);
  ASSERT_EQ(other.make(curves), kSuccess);
  curves.seed = 43;
  ASSERT_EQ(third.make(curves), kSuccess);
  int differs = 0;
  for (int step = 0; step < 100; ++step) {
    for (LoadedMachine* each : {&machine, &other, &third})
      each->advance(130 * kMillisecond);
    EXPECT_EQ(celsius(), other.told()->thermal.gpu_c.value) << step;
    differs += celsius() != third.told()->thermal.gpu_c.value ? 1 : 0;
  }
  EXPECT_GT(differs, 50);
}

TEST_F(MetricCurves, PowerVariesWithinItsRangeAndEnergyIsItsIntegral) {
  SetMetricCurves curves{};
  curves.which = kPowerCurve;
  curves.base_mw = 350'000;
  curves.variance_mw = 60'000;
  const std::uint64_t began = machine.told()->power.energy_mj.value;
  ASSERT_EQ(machine.make(curves), kSuccess);
  double summed_mj = 0;
  std::set<std::uint32_t> seen;
  for (int second = 0; second < 1000; ++second) {
    machine.advance(kSecond);
    const std::uint32_t draw = machine.told()->power.draw_mw.value;
    EXPECT_GE(draw, 290'000U);
    EXPECT_LE(draw, 410'000U);
    seen.insert(draw);
    summed_mj += draw;
    if (second % 100 == 50) {
      ASSERT_NE(machine.make(ResetApplicationClocks{}), kGpuIsLost);  // settles
    }
  }
  EXPECT_GT(seen.size(), 500U);
  const auto counted = static_cast<double>(machine.told()->power.energy_mj.value - began);
  EXPECT_NEAR(summed_mj / counted, 1, 0.001) << counted << " mJ";
}

TEST_F(MetricCurves, PowerKeepsWithinTheLimitsOfTheBoard) {
  SetMetricCurves curves{};
  curves.which = kPowerCurve;
  curves.base_mw = 10'000;
  ASSERT_EQ(machine.make(curves), kSuccess);
  machine.advance(kSecond);
  EXPECT_EQ(machine.told()->power.draw_mw.value, machine.stored().power.min_limit_mw.value);
}

TEST_F(MetricCurves, UtilizationComesInBursts) {
  SetMetricCurves curves{};
  curves.which = kUtilizationCurve;
  curves.pattern = UsePattern::burst;
  curves.gpu_min = 20;
  curves.gpu_max = 60;
  curves.memory_min = curves.memory_max = 7;
  curves.burst_period_s = 10;
  curves.full_tx_kbps = 1'000'000;
  ASSERT_EQ(machine.make(curves), kSuccess);
  for (int second = 0; second < 40; ++second) {
    const auto now = machine.told();
    const std::uint32_t busy = now->utilization.gpu_percent.value;
    const bool idle = second / 10 % 2 == 0;
    EXPECT_GE(busy, idle ? 20U : 50U) << second;
    EXPECT_LE(busy, idle ? 30U : 60U) << second;
    EXPECT_EQ(now->utilization.memory_percent.value, 7U);
    EXPECT_EQ(now->pci.tx_kbps.value, busy * 10'000);
    machine.advance(kSecond);
  }
}

TEST_F(MetricCurves, LinksCountErrors) {
  SetMetricCurves curves{};
  curves.which = kLinkErrorCurve;
  curves.link_error_milli = 2'500;
  curves.links = 1 << 3;
  const auto before = machine.told();
  ASSERT_EQ(machine.make(curves), kSuccess);
  for (int half = 0; half < 20; ++half) {
    machine.advance(kSecond / 2);
    ASSERT_NE(machine.make(ResetApplicationClocks{}), kGpuIsLost);  // parts of an error are not lost
  }
  const auto after = machine.told();
  EXPECT_EQ(after->nvlink.links[3].replay_errors.value - before->nvlink.links[3].replay_errors.value_or(0), 25U);
  EXPECT_EQ(after->nvlink.links[2].replay_errors.value, before->nvlink.links[2].replay_errors.value);
  ASSERT_EQ(machine.make(SetMetricCurves{}), kSuccess);
  machine.advance(kMinute);
  EXPECT_EQ(machine.told()->nvlink.links[3].replay_errors.value, after->nvlink.links[3].replay_errors.value);
}

TEST_F(MetricCurves, WhatLiesBeneathComesBackAndAPinLiesAbove) {
  const std::uint32_t rest = celsius();
  ASSERT_EQ(machine.make(warm()), kSuccess);
  Fact<std::uint32_t> hot{};
  hot.set(91);
  PinField pin{static_cast<std::uint32_t>(offsetof(Gpu, thermal.gpu_c)), sizeof hot, {}};
  std::memcpy(pin.value, &hot, sizeof hot);
  ASSERT_EQ(machine.make(pin), kSuccess);
  EXPECT_EQ(celsius(), 91U);
  ASSERT_EQ(machine.make(ReleaseField{pin.offset}), kSuccess);
  EXPECT_EQ(celsius(), 50U);
  ASSERT_EQ(machine.make(pin), kSuccess);
  ASSERT_EQ(machine.make(SetMetricCurves{}), kSuccess);
  ASSERT_EQ(machine.make(ReleaseField{pin.offset}), kSuccess);
  EXPECT_EQ(celsius(), rest);
  EXPECT_FALSE(machine.stored().load.curves.has_value());
}

TEST_F(MetricCurves, LieOverALoad) {
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(kMinute);
  ASSERT_EQ(machine.make(warm()), kSuccess);
  const auto now = machine.told();
  EXPECT_EQ(now->thermal.gpu_c.value, 50U);
  EXPECT_GT(now->power.draw_mw.value, 300'000U);
  ASSERT_EQ(machine.make(SetMetricCurves{}), kSuccess);
  EXPECT_NE(celsius(), 50U);
}

TEST_F(MetricCurves, NumbersThatNoBoardReachesAreRefused) {
  SetMetricCurves curves = warm();
  curves.which = 1 << 9;
  EXPECT_EQ(machine.make(curves), kInvalidArgument);
  curves = warm();
  curves.gpu_max = 101;
  EXPECT_EQ(machine.make(curves), kInvalidArgument);
  curves = warm();
  curves.pattern = static_cast<UsePattern>(9);
  EXPECT_EQ(machine.make(curves), kInvalidArgument);
  EXPECT_FALSE(machine.stored().load.curves.has_value());
}

// Of a file that others write.
TEST_F(MetricCurves, DamagedOnesLeadNowhere) {
  ASSERT_EQ(machine.make(warm()), kSuccess);
  auto& bytes = const_cast<Gpu&>(machine.stored()).load.curves;
  std::uint64_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    bytes.data[state % sizeof bytes.data] = static_cast<std::uint8_t>(state >> 33);
    machine.advance(kSecond);
    (void)machine.told();
  }
}

}  // namespace
}  // namespace nvmlab::load_test
