// SPDX-License-Identifier: Apache-2.0
// What each fault does to a board, and that its end undoes it and nothing else.
#include "engine/topics/events/event_types.hpp"
#include "tests/support/test_name.hpp"
#include "tests/unit/changes/faulty_machine.hpp"

namespace nvmlab::changes_test {
namespace {

using Xids = std::vector<std::uint64_t>;

std::uint32_t all_types(const std::vector<Event>& events) {
  std::uint32_t types = 0;
  for (const Event& event : events)
    types |= static_cast<std::uint32_t>(event.type);
  return types;
}

TEST(Faults, AGpuOffTheBusRefusesCallsUntilItIsHealed) {
  FaultyMachine machine("dgx-h100");
  const auto before = machine.copy();
  const std::uint64_t handle = handle_of(machine.slot());
  ASSERT_EQ(machine.inject(FaultKind::xid, 79), kSuccess);
  EXPECT_EQ(machine.xids(), Xids({79}));
  EXPECT_EQ(refusal_of(machine.slot()), kGpuIsLost);
  EXPECT_EQ(handle_of(machine.slot()), handle);
  EXPECT_TRUE(present(machine.slot())) << "the count keeps it";
  EXPECT_FALSE(missing(machine.slot()));
  EXPECT_EQ(find_gpu(machine.store(), 2, handle), nullptr);
  EXPECT_EQ(find_refusing_gpu(machine.store(), 2, handle), &machine.slot());
  EXPECT_EQ(gpus_set_apart(machine.store()), 1U);
  ASSERT_EQ(machine.make(ResetGpu{}), kSuccess);
  EXPECT_EQ(refusal_of(machine.slot()), kGpuIsLost) << "a reset does not reach it";
  ASSERT_EQ(machine.heal(), kSuccess);
  EXPECT_EQ(find_gpu(machine.store(), 2, handle), &machine.slot());
  EXPECT_EQ(gpus_set_apart(machine.store()), 0U);
  EXPECT_EQ(refusal_of(machine.slot(1)), 0U);
}

TEST(Faults, OneThatMustBeResetAnswersAgainAfterTheReset) {
  FaultyMachine machine("dgx-h100");
  ASSERT_EQ(machine.inject(FaultKind::xid, 119), kSuccess);
  EXPECT_EQ(machine.xids(), Xids({119, 154}));
  EXPECT_EQ(refusal_of(machine.slot()), kResetRequired);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kResetGpu});
  ASSERT_EQ(machine.make(ResetGpu{}), kSuccess);
  EXPECT_EQ(refusal_of(machine.slot()), 0U);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kNoRecovery});
  EXPECT_EQ(machine.faults().size(), 0U);
  EXPECT_EQ(machine.xids(), Xids({154})) << "another action, again";
}

TEST(Faults, AGpuThatIsLostIsLostThoughAResetIsDueToo) {
  FaultyMachine machine("dgx-h100");
  ASSERT_EQ(machine.inject(FaultKind::xid, 119), kSuccess);
  ASSERT_EQ(machine.inject(FaultKind::lost), kSuccess);
  EXPECT_EQ(refusal_of(machine.slot()), kGpuIsLost);
  ASSERT_EQ(machine.heal(FaultKind::lost), kSuccess);
  EXPECT_EQ(refusal_of(machine.slot()), kResetRequired);
  EXPECT_EQ(machine.heal(FaultKind::lost), kNotFound);
}

TEST(Faults, AnApplicationsOwnMistakeIsAnEventAndNothingElse) {
  FaultyMachine machine("dgx-h100");
  const auto before = machine.copy();
  for (const std::uint32_t xid : {13u, 31u, 43u, 45u, 68u}) {
    ASSERT_EQ(machine.make(InjectFault{FaultKind::xid, xid, 5, 0, 1}), kSuccess) << xid;
    const auto events = machine.events();
    ASSERT_EQ(events.size(), 1U) << xid;
    EXPECT_EQ(events[0].data, xid);
    EXPECT_EQ(events[0].gpu_instance, 5U);
    EXPECT_EQ(events[0].compute_instance, 0U);
  }
  EXPECT_EQ(std::memcmp(before.get(), &machine.now(), sizeof(Gpu)), 0);
  EXPECT_EQ(machine.faults().size(), 0U);
}

TEST(Faults, AnUncorrectableErrorOfDramRemapsARowAtTheNextReset) {
  FaultyMachine machine("dgx-h100");
  const auto before = machine.copy();
  ASSERT_EQ(machine.inject(FaultKind::ecc_uncorrected, kDramLocation), kSuccess);
  const auto events = machine.events();
  EXPECT_EQ(all_types(events), kXidEvent | kDoubleBitEccEvent | kDramRetirementEvent | kNonFatalPoisonEvent);
  const Ecc& ecc = machine.now().ecc;
  EXPECT_EQ(ecc.uncorrected_volatile.dram.value, before->ecc.uncorrected_volatile.dram.value + 1);
  EXPECT_EQ(ecc.uncorrected_aggregate.dram.value, before->ecc.uncorrected_aggregate.dram.value + 1);
  EXPECT_EQ(ecc.remapped_uncorrectable.value, before->ecc.remapped_uncorrectable.value + 1);
  EXPECT_EQ(ecc.remap_banks_max.value, before->ecc.remap_banks_max.value - 1);
  EXPECT_EQ(ecc.remap_banks_high.value, before->ecc.remap_banks_high.value + 1);
  EXPECT_EQ(ecc.remap_pending.value, 1U);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kNoRecovery});
  ASSERT_EQ(machine.make(ResetGpu{}), kSuccess);
  EXPECT_EQ(machine.now().ecc.remap_pending.value, 0U);
  EXPECT_EQ(machine.faults().size(), 0U) << "nothing is left of it";
  EXPECT_EQ(machine.now().ecc.uncorrected_volatile.dram.value, 0U);
  EXPECT_EQ(machine.now().ecc.uncorrected_aggregate.dram.value, before->ecc.uncorrected_aggregate.dram.value + 1);
  EXPECT_EQ(machine.now().ecc.remapped_uncorrectable.value, before->ecc.remapped_uncorrectable.value + 1);
}

TEST(Faults, TheSequenceOfXidsIsThatOfTheBoard) {
  FaultyMachine hopper("dgx-h100");
  ASSERT_EQ(hopper.inject(FaultKind::ecc_uncorrected, kDramLocation), kSuccess);
  EXPECT_EQ(hopper.xids(), Xids({48, 63, 94}));
  ASSERT_EQ(hopper.inject(FaultKind::ecc_uncontained, kSramLocation), kSuccess);
  EXPECT_EQ(hopper.xids(), Xids({48, 95, 154})) << "on-chip memory has no rows";
  FaultyMachine volta("v100s-server", 1);
  ASSERT_EQ(volta.inject(FaultKind::ecc_uncorrected, kDramLocation), kSuccess);
  EXPECT_EQ(volta.xids(), Xids({48, 63})) << "no containment";
  EXPECT_EQ(volta.now().ecc.retirement_pending.value, 1U);
  ASSERT_EQ(volta.now().ecc.retired_double_bit.size(), 1U);
  ASSERT_EQ(volta.make(ResetGpu{}), kSuccess);
  EXPECT_EQ(volta.now().ecc.retirement_pending.value, 1U) << "until the driver is loaded anew";
  ASSERT_EQ(volta.heal(), kSuccess);
  EXPECT_EQ(volta.now().ecc.retirement_pending.value, 0U);
  EXPECT_EQ(volta.now().ecc.retired_double_bit.size(), 1U) << "a retired page stays so";
}

TEST(Faults, WithoutASpareRowRemappingFails) {
  FaultyMachine machine("dgx-h100");
  for (int i = 0; i < 600 && machine.now().ecc.remap_failed.value == 0; ++i)
    ASSERT_EQ(machine.inject(FaultKind::row_remap), kSuccess) << i;
  EXPECT_EQ(machine.now().ecc.remapped_correctable.value + machine.now().ecc.remapped_uncorrectable.value, 512U);
  EXPECT_EQ(machine.now().ecc.remap_failed.value, 1U);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kResetGpu});
  ASSERT_EQ(machine.make(ResetGpu{}), kSuccess);
  EXPECT_EQ(machine.now().ecc.remap_failed.value, 1U) << "the board is to be replaced";
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kNoRecovery});
  ASSERT_EQ(machine.heal(FaultKind::row_remap), kSuccess);
  EXPECT_EQ(machine.now().ecc.remap_failed.value, 0U);
}

TEST(Faults, WhatWasSetMeanwhileIsThereAfterTheFault) {
  FaultyMachine machine("dgx-h100");
  const std::uint32_t highest = machine.now().clocks.max_graphics_mhz.value;
  ASSERT_EQ(machine.make(LockGraphicsClocks{highest, highest}), kSuccess);
  const auto before = machine.copy();
  ASSERT_EQ(machine.inject(FaultKind::thermal_slowdown), kSuccess);
  EXPECT_LE(machine.now().clocks.graphics_mhz.value, highest / 2);
  EXPECT_NE(machine.now().clocks.event_reasons.value & 0x40, 0U);
  EXPECT_EQ(derived::margin_to_limit(machine.now()).value, machine.now().thermal.slowdown_tlimit_c.value);
  ASSERT_EQ(machine.make(UnlockGraphicsClocks{}), kSuccess);
  ASSERT_EQ(machine.make(SetPowerLimit{PowerScope::gpu, 300'000}), kSuccess);
  EXPECT_LE(machine.now().clocks.graphics_mhz.value, highest / 2) << "still slow";
  ASSERT_EQ(machine.heal(FaultKind::thermal_slowdown), kSuccess);
  EXPECT_FALSE(machine.now().clocks.locked_graphics_max_mhz.has_value());
  EXPECT_EQ(machine.now().clocks.event_reasons.value & 0x40, 0U);
  EXPECT_EQ(machine.now().thermal.gpu_c.value, before->thermal.gpu_c.value);
  EXPECT_EQ(machine.now().power.limit_mw.value, 300'000U);
}

TEST(Faults, CountersOfSlowdownsGrowWithTheClockOfTheMachine) {
  FaultyMachine machine("dgx-h100");
  const std::uint64_t before = machine.now().clocks.hw_power_brake_us.value;
  ASSERT_EQ(machine.inject(FaultKind::power_brake), kSuccess);
  ASSERT_EQ(machine.make(make_change(MachinePart::clock, AdvanceMachineClock{3'000'000'000})), kSuccess);
  ASSERT_EQ(machine.heal(), kSuccess);
  EXPECT_EQ(machine.now().clocks.hw_power_brake_us.value, before + 3'000'000);
}

TEST(Faults, APinLiesBelowAndComesBack) {
  FaultyMachine machine("dgx-h100");
  Fact<std::uint32_t> value{};
  value.set(3);
  PinField pin{offsetof(Gpu, modes.recovery_action), sizeof value, {}};
  std::memcpy(pin.value, &value, sizeof value);
  ASSERT_EQ(machine.make(pin), kSuccess);
  ASSERT_EQ(machine.inject(FaultKind::xid, 62), kSuccess);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kResetGpu});
  ASSERT_EQ(machine.make(SetPowerLimit{PowerScope::gpu, 300'000}), kSuccess);
  ASSERT_EQ(machine.heal(), kSuccess);
  EXPECT_EQ(machine.now().modes.recovery_action.value, 3U);
  ASSERT_EQ(machine.make(ReleaseField{pin.offset}), kSuccess);
  EXPECT_EQ(machine.now().modes.recovery_action.value, 0U);
}

// With a driver that tells it in both forms, by its name and by the flags that came before; from 570 on they are
// refused.
TEST(Faults, TheRecoveryActionThatWeighsMostIsTold) {
  FaultyMachine machine("dgx-h100", 2, "535");
  ASSERT_EQ(machine.inject(FaultKind::xid, 144), kSuccess);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kDrainP2p});
  ASSERT_EQ(machine.inject(FaultKind::xid, 149), kSuccess);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kDrainAndReset});
  EXPECT_EQ(machine.now().modes.drain_and_reset_recommended.value, 1U);
  ASSERT_EQ(machine.inject(FaultKind::xid, 95), kSuccess);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kResetGpu});
  EXPECT_EQ(machine.now().modes.reset_required.value, 1U);
  EXPECT_EQ(machine.now().modes.drain_and_reset_recommended.value, 0U);
  ASSERT_EQ(machine.heal(FaultKind::xid, 95), kSuccess);
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kDrainAndReset});
  ASSERT_EQ(machine.heal(FaultKind::xid), kSuccess) << "all Xids";
  EXPECT_EQ(machine.now().modes.recovery_action.value, std::uint32_t{kNoRecovery});
  EXPECT_EQ(machine.now().modes.reset_required.value, 0U);
  EXPECT_EQ(machine.xids(), Xids({144, 149, 95})) << "none of these drivers tells of another action";
}

TEST(Faults, ABoardRefusesWhatItCouldNotShow) {
  FaultyMachine machine("t4", 1);
  EXPECT_EQ(machine.inject(FaultKind::nvlink_down, 0), kNotSupported);
  EXPECT_EQ(machine.inject(FaultKind::fan_stopped, 0), kNotSupported);
  EXPECT_EQ(machine.inject(FaultKind::row_remap), kNotSupported);
  EXPECT_EQ(machine.inject(FaultKind::page_retirement), kSuccess);
  EXPECT_EQ(machine.inject(FaultKind::xid, 1), kInvalidArgument);
  EXPECT_EQ(machine.inject(FaultKind::lost, 3), kInvalidArgument);
  EXPECT_EQ(machine.inject(static_cast<FaultKind>(kFaultKinds)), kInvalidArgument);
  EXPECT_EQ(machine.inject(FaultKind::pcie_replays, 0, 0), kInvalidArgument);
  FaultyMachine hopper("dgx-h100");
  EXPECT_EQ(hopper.inject(FaultKind::nvlink_down, 99), kInvalidArgument);
  EXPECT_EQ(hopper.inject(FaultKind::page_retirement), kNotSupported);
}

TEST(Faults, ThereIsRoomForSomeAndNoMore) {
  FaultyMachine machine("dgx-h100");
  for (std::uint32_t link = 0; link < kMaxFaults; ++link)
    ASSERT_EQ(machine.inject(FaultKind::nvlink_down, link), kSuccess) << link;
  const auto before = machine.copy();
  EXPECT_EQ(machine.inject(FaultKind::nvlink_down, kMaxFaults), kInsufficientResources);
  EXPECT_EQ(std::memcmp(before.get(), &machine.now(), sizeof(Gpu)), 0) << "nor was it counted";
  EXPECT_EQ(machine.inject(FaultKind::nvlink_down, 3), kSuccess) << "one that is there may come again";
  EXPECT_EQ(machine.faults().items[3].times, 2U);
}

TEST(Faults, AMissingGpuIsNotCounted) {
  FaultyMachine machine("dgx-h100");
  ASSERT_EQ(machine.inject(FaultKind::xid, 143), kSuccess);
  EXPECT_TRUE(missing(machine.slot()));
  ASSERT_EQ(machine.heal(), kSuccess);
  EXPECT_FALSE(missing(machine.slot()));
}

// A GPU that was removed and is found again is a fresh one, but for what no driver brings back.
TEST(Faults, DiscoveryBringsBackWhatAReloadHeals) {
  FaultyMachine machine("dgx-h100");
  ASSERT_EQ(machine.inject(FaultKind::xid, 119), kSuccess);
  ASSERT_EQ(
      machine.inject(FaultKind::fan_stopped, 0) == kSuccess || machine.inject(FaultKind::pcie_degraded) == kSuccess,
      true);
  ASSERT_EQ(machine.make(WriteSetting{offsetof(Gpu, modes.persistence), 0}), kSuccess);
  ASSERT_EQ(machine.make(SetDrain{1}), kSuccess);
  ASSERT_EQ(machine.make(RemoveGpu{}), kSuccess);
  EXPECT_EQ(machine.inject(FaultKind::lost), kGpuIsLost) << "it is not there";
  ASSERT_EQ(machine.make(ReturnGpu{}), kSuccess);
  EXPECT_EQ(refusal_of(machine.slot()), 0U);
  ASSERT_EQ(machine.faults().size(), 1U);
  EXPECT_NE(machine.faults().items[0].kind, static_cast<std::uint32_t>(FaultKind::xid));
}

// Killed halfway through the copy that nobody reads, or before the slot says what the faults say.
TEST(Faults, WhatAKilledWriterBeganTheNextOneEnds) {
  FaultyMachine machine("dgx-h100");
  const auto before = machine.copy();
  ASSERT_EQ(machine.inject(FaultKind::nvlink_down, 1), kSuccess);
  GpuSlot& slot = machine.store().slots()[0];
  std::memset(&slot.faults[(slot.sequence + 1) & 1], 0xA5, sizeof(Faults) / 2);
  ASSERT_EQ(machine.inject(FaultKind::lost), kSuccess);
  ASSERT_EQ(machine.faults().size(), 2U);
  slot.handle = handle_of(slot);
  ASSERT_EQ(machine.make(SetPowerLimit{PowerScope::gpu, 300'000}), kSuccess);
  EXPECT_EQ(refusal_of(slot), kGpuIsLost);
  std::memset(&slot.faults[(slot.sequence + 1) & 1], 0xA5, sizeof(Faults) / 2);
  ASSERT_EQ(machine.make(SetPowerLimit{PowerScope::gpu, before->power.limit_mw.value}), kSuccess);
  ASSERT_EQ(machine.heal(), kSuccess);
  EXPECT_EQ(machine.faults().size(), 0U);
  EXPECT_EQ(refusal_of(slot), 0U);
  EXPECT_EQ(differences(*before, machine.now(), rows_of_gpu(18)), "");
}

// Of every kind and every Xid, on boards of five generations.
class EveryFault : public testing::TestWithParam<const char*> {};

TEST_P(EveryFault, IsUndoneByItsEnd) {
  FaultyMachine machine(GetParam(), 1);
  const std::vector<Row> rows = rows_of_gpu(18);
  const auto before = machine.copy();
  std::size_t shown = 0;
  const auto expect_undone = [&](FaultKind kind, std::uint32_t number) {
    if (machine.inject(kind, number) != kSuccess) return;
    ++shown;
    ASSERT_EQ(machine.heal(), kSuccess);
    ASSERT_EQ(differences(*before, machine.now(), rows), "") << find_fault(kind)->name << " " << number;
    EXPECT_EQ(refusal_of(machine.slot()), 0U);
  };
  for (std::uint32_t kind = 1; kind < kFaultKinds; ++kind)
    expect_undone(static_cast<FaultKind>(kind), 0);
  for (const XidRow& xid : xid_rows())
    expect_undone(FaultKind::xid, xid.number);
  EXPECT_GE(shown, xid_rows().count + 6);
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryFault, testing::Values("dgx-h100", "dgx-a100", "t4", "v100s-server", "gb300"),
                         test::NamedByParam{});

}  // namespace
}  // namespace nvmlab::changes_test
