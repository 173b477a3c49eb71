// SPDX-License-Identifier: Apache-2.0
// Readings under load are a function of the published segment and of the time alone, and keep the laws of physics.
#include "engine/topics/load/motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/test_name.hpp"
#include "tests/unit/load/loaded_machine.hpp"

namespace nvmlab::load_test {
namespace {

bool same(const Gpu& a, const Gpu& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

class Motion : public testing::TestWithParam<const char*> {};

TEST_P(Motion, AnHourAtOnceIsSixtyMinutes) {
  LoadedMachine at_once(GetParam());
  LoadedMachine in_parts(GetParam());
  ASSERT_EQ(at_once.load(LoadKind::training, 40 * kMinute), kSuccess);
  ASSERT_EQ(in_parts.load(LoadKind::training, 40 * kMinute), kSuccess);
  at_once.advance(kHour);
  for (int minute = 0; minute < 60; ++minute) {
    in_parts.advance(kMinute);
    (void)in_parts.told();
  }
  EXPECT_TRUE(same(*at_once.told(), *in_parts.told()));
  EXPECT_TRUE(same(at_once.stored(), in_parts.stored())) << "readers write nothing";
}

// Power as it is told every tenth of a second, summed up.
TEST_P(Motion, EnergyIsTheIntegralOfPower) {
  LoadedMachine machine(GetParam());
  if (!machine.told()->power.energy_mj.has_value()) GTEST_SKIP() << "a board without the counter";
  ASSERT_EQ(machine.load(LoadKind::training, 30 * kMinute), kSuccess);
  const auto began = machine.told();
  const std::int64_t offset = static_cast<std::int64_t>(began->power.draw_instant_mw.value_or(0)) -
                              static_cast<std::int64_t>(began->power.draw_average_mw.value_or(0));
  const bool instant = began->power.draw_instant_mw.has_value() && began->power.draw_average_mw.has_value();
  double summed_mj = 0;
  for (int tick = 0; tick < 36'000; ++tick) {
    machine.advance(100 * kMillisecond);
    const auto now = machine.told();
    const double draw = instant ? static_cast<double>(now->power.draw_instant_mw.value) - static_cast<double>(offset)
                                : static_cast<double>(now->power.draw_mw.value_or(0));
    summed_mj += draw / 10;
  }
  const auto counted = static_cast<double>(machine.told()->power.energy_mj.value - began->power.energy_mj.value);
  EXPECT_NEAR(summed_mj / counted, 1, 0.001) << counted << " mJ";
}

TEST_P(Motion, CountersNeverFallAndNothingJumps) {
  LoadedMachine machine(GetParam());
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  auto before = machine.told();
  for (int step = 0; step < 3000; ++step) {
    machine.advance(70 * kMillisecond);
    if (step % 500 == 250) {
      ASSERT_NE(machine.make(ResetApplicationClocks{}), kGpuIsLost);  // settles
    }
    if (step == 1000) {
      ASSERT_EQ(machine.load(LoadKind::idle), kSuccess);
    }
    if (step == 2000) {
      ASSERT_EQ(machine.load(LoadKind::memory), kSuccess);
    }
    auto now = machine.told();
    EXPECT_GE(now->power.energy_mj.value, before->power.energy_mj.value) << step;
    EXPECT_GE(now->clocks.sw_power_cap_us.value, before->clocks.sw_power_cap_us.value) << step;
    EXPECT_GE(now->clocks.sw_thermal_slowdown_us.value, before->clocks.sw_thermal_slowdown_us.value) << step;
    EXPECT_GE(now->pci.tx_bytes.value, before->pci.tx_bytes.value) << step;
    const int warmer = static_cast<int>(now->thermal.gpu_c.value) - static_cast<int>(before->thermal.gpu_c.value);
    EXPECT_LE(std::abs(warmer), 2) << step;
    before = std::move(now);
  }
}

// A reason that holds counts the time that it does, and no other.
TEST_P(Motion, CountersAgreeWithReasons) {
  LoadedMachine machine(GetParam());
  ASSERT_EQ(machine.make(SetLoad{LoadKind::training, kOfKind, kOfKind, 60, 40 * kMinute}), kSuccess);
  constexpr std::uint64_t kCapped = 4;
  constexpr std::uint64_t kHot = 0x20;
  constexpr std::uint64_t kSecondUs = 1'000'000;
  auto before = machine.told();
  for (int second = 0; second < 3600; ++second) {
    machine.advance(kSecond);
    auto now = machine.told();
    const auto agrees = [&](std::uint64_t reason, const auto& was, const auto& is) {
      if (!was.has_value() || !before->clocks.event_reasons.has_value()) return true;
      const std::uint64_t counted = is.value - was.value;
      const bool began = (before->clocks.event_reasons.value & reason) != 0;
      const bool ended = (now->clocks.event_reasons.value & reason) != 0;
      return began != ended ? counted <= kSecondUs : counted == (began ? kSecondUs : 0);
    };
    ASSERT_TRUE(agrees(kCapped, before->clocks.sw_power_cap_us, now->clocks.sw_power_cap_us)) << second;
    ASSERT_TRUE(agrees(kHot, before->clocks.sw_thermal_slowdown_us, now->clocks.sw_thermal_slowdown_us)) << second;
    before = std::move(now);
  }
}

TEST_P(Motion, WhatIsIdleAndColdIsAsItWas) {
  LoadedMachine machine(GetParam());
  const auto before = machine.told();
  if (before->utilization.gpu_percent.value_or(0) > 10) GTEST_SKIP() << "captured at work";
  ASSERT_EQ(machine.load(LoadKind::training, kHour), kSuccess);
  machine.advance(3 * kHour);
  const auto after = machine.told();
  // But for what counts.
  after->power.energy_mj = before->power.energy_mj;
  after->pci.tx_bytes = before->pci.tx_bytes;
  after->pci.rx_bytes = before->pci.rx_bytes;
  after->clocks.sw_power_cap_us = before->clocks.sw_power_cap_us;
  after->clocks.sw_thermal_slowdown_us = before->clocks.sw_thermal_slowdown_us;
  after->clocks.low_utilization_us = before->clocks.low_utilization_us;
  after->nvlink = before->nvlink;
  after->gpm = before->gpm;
  after->load = before->load;
  const auto* const was = reinterpret_cast<const unsigned char*>(before.get());
  const auto* const is = reinterpret_cast<const unsigned char*>(after.get());
  for (std::size_t at = 0; at < sizeof(Gpu); ++at)
    ASSERT_EQ(is[at], was[at]) << "byte " << at << "; power begins at " << offsetof(Gpu, power) << ", clocks at "
                               << offsetof(Gpu, clocks) << ", thermal at " << offsetof(Gpu, thermal);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Motion,
                         testing::Values("dgx-h100", "dgx-a100", "g4dn-xlarge", "gpu-l40sx1-48gb",
                                         "rtx-2080-super-desktop", "v100s-server", "gb300-nvl4", "gtx-1080-rig"),
                         test::NamedByParam{});

TEST(Resting, AMachineThatNothingLoadsStandsStill) {
  LoadedMachine machine("dgx-h100");
  const auto before = machine.told();
  machine.advance(kHour);
  EXPECT_TRUE(same(*machine.told(), *before));
}

void tell_all(const nvmlab::Motion& motion) {
  for (std::uint32_t which = 0; which <= kMovingCount; ++which)
    (void)motion.value(static_cast<Moving>(which));
}

// A segment lies in a file that others write.
TEST(Damaged, NoSegmentLeadsAnywhere) {
  LoadedMachine machine("dgx-h100");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  const Gpu& gpu = machine.stored();
  LoadSegment good;
  ASSERT_TRUE(read_segment(gpu.load, good));
  std::uint64_t state = 1;
  for (int round = 0; round < 20'000; ++round) {
    LoadSegment bad = good;
    auto* const bytes = reinterpret_cast<unsigned char*>(&bad);
    for (int each = 0; each < 8; ++each) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      bytes[(state >> 33) % sizeof bad] = static_cast<unsigned char>(state >> 24);
    }
    Load load{};
    write_segment(load, bad);
    LoadSegment read;
    const std::uint64_t now_us = good.begin_us + state % (kHour / 1000);
    if (read_segment(load, read)) tell_all(nvmlab::Motion(read, now_us));
    tell_all(nvmlab::Motion(published_segment(load), now_us));  // as getters read it
  }
}

}  // namespace
}  // namespace nvmlab::load_test
