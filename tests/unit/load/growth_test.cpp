// SPDX-License-Identifier: Apache-2.0
// What NVLinks carry and SMs do under load.
#include "engine/topics/load/growth.hpp"

#include <gtest/gtest.h>

#include "tests/unit/load/loaded_machine.hpp"

namespace nvmlab::load_test {
namespace {

std::uint64_t sent_kib(const LoadedMachine& machine, std::uint32_t link = 0) {
  return machine.told()->nvlink.links[link].data_tx_kib.value_or(0);
}

TEST(Growth, LinksCarryWhatTheKindOfLoadSends) {
  LoadedMachine machine("dgx-h100");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(kMinute);
  const auto now = machine.told();
  ASSERT_EQ(now->nvlink.links.size(), 18U);
  const double expected = 26'562e6 / 1024 * 0.3 * 0.98 * 60;
  for (const Nvlink::Link& link : now->nvlink.links) {
    EXPECT_NEAR(static_cast<double>(link.data_tx_kib.value_or(0)), expected, expected / 1000);
    EXPECT_EQ(link.data_rx_kib.value_or(0), link.data_tx_kib.value_or(0));
    EXPECT_EQ(link.raw_tx_kib.value_or(0), link.data_tx_kib.value_or(0) * 9 / 8);
  }
  ASSERT_EQ(machine.load(LoadKind::inference), kSuccess);
  const std::uint64_t before = sent_kib(machine);
  machine.advance(kMinute);
  EXPECT_LT(sent_kib(machine) - before, static_cast<std::uint64_t>(expected / 3));
  ASSERT_EQ(machine.load(LoadKind::memory), kSuccess);
  const std::uint64_t then = sent_kib(machine);
  machine.advance(kMinute);
  EXPECT_EQ(sent_kib(machine), then) << "kernels that wait for the GPU's own memory";
}

TEST(Growth, PartsOfTheSmsSendPartsOfIt) {
  LoadedMachine whole("dgx-h100");
  LoadedMachine half("dgx-h100");
  ASSERT_EQ(whole.make(SetLoad{LoadKind::training, 100, kOfKind, kSameAir, 0}), kSuccess);
  ASSERT_EQ(half.make(SetLoad{LoadKind::training, 50, kOfKind, kSameAir, 0}), kSuccess);
  whole.advance(kMinute);
  half.advance(kMinute);
  EXPECT_NEAR(static_cast<double>(sent_kib(whole)), 2.0 * static_cast<double>(sent_kib(half)), 100);
}

TEST(Growth, ALinkThatIsDownCarriesNothing) {
  LoadedMachine machine("dgx-h100");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(kMinute);
  const auto before = machine.told();
  ASSERT_EQ(machine.make(InjectFault{FaultKind::nvlink_down, 2, kNoInstance, kNoInstance, 1}), kSuccess);
  machine.advance(kMinute);
  EXPECT_EQ(sent_kib(machine, 2), before->nvlink.links[2].data_tx_kib.value);
  EXPECT_GT(sent_kib(machine, 3), before->nvlink.links[3].data_tx_kib.value);
}

// Whatever is done meanwhile.
TEST(Growth, NothingThatCountsFalls) {
  LoadedMachine machine("dgx-h100");
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  auto before = machine.told();
  for (int step = 0; step < 600; ++step) {
    machine.advance(70 * kMillisecond);
    if (step % 50 == 25) {
      ASSERT_NE(machine.make(ResetApplicationClocks{}), kGpuIsLost);  // settles
    }
    if (step % 200 == 199) {
      ASSERT_EQ(machine.load(step % 400 == 199 ? LoadKind::idle : LoadKind::training), kSuccess);
    }
    auto now = machine.told();
    EXPECT_GE(now->nvlink.links[0].raw_rx_kib.value, before->nvlink.links[0].raw_rx_kib.value) << step;
    EXPECT_GE(now->gpm.sm_elapsed_cycles.value, before->gpm.sm_elapsed_cycles.value) << step;
    EXPECT_GE(now->gpm.sm_active_cycles.value, before->gpm.sm_active_cycles.value) << step;
    EXPECT_GE(now->gpm.sm_active_cycles.value, now->gpm.tensor_cycles.value) << step;
    EXPECT_GE(now->gpm.sm_elapsed_cycles.value, now->gpm.sm_active_cycles.value) << step;
    before = std::move(now);
  }
}

// A minute in which somebody changes something each second counts what a minute counts.
TEST(Growth, ChangesMeanwhileLoseNothing) {
  LoadedMachine at_once("dgx-h100");
  LoadedMachine in_parts("dgx-h100");
  ASSERT_EQ(at_once.load(LoadKind::training), kSuccess);
  ASSERT_EQ(in_parts.load(LoadKind::training), kSuccess);
  at_once.advance(kMinute);
  for (int second = 0; second < 60; ++second) {
    in_parts.advance(kSecond);
    ASSERT_NE(in_parts.make(ResetApplicationClocks{}), kGpuIsLost);
  }
  EXPECT_NEAR(static_cast<double>(sent_kib(in_parts)), static_cast<double>(sent_kib(at_once)), 120);
  EXPECT_NEAR(static_cast<double>(in_parts.told()->gpm.sm_active_cycles.value),
              static_cast<double>(at_once.told()->gpm.sm_active_cycles.value), 60'000);
}

}  // namespace
}  // namespace nvmlab::load_test
