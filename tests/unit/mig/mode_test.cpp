// SPDX-License-Identifier: Apache-2.0
//
// The mode of MIG: what switching takes on which chip, what waits for it, and what resets and reloads leave.
#include <gtest/gtest.h>

#include "engine/topics/events/event_types.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "tests/unit/mig/boards.hpp"

namespace nvmlab::mig_test {
namespace {

StartProcess process_of(std::uint32_t pid, std::uint32_t gpu_instance, std::uint32_t compute_instance) {
  StartProcess process{};
  process.pid = pid;
  process.kinds = kComputeProcess;
  process.used_bytes = 64 << 20;
  process.gpu_instance = gpu_instance;
  process.compute_instance = compute_instance;
  return process;
}

void expect_modes(const MigMachine& machine, std::uint32_t now, std::uint32_t pending) {
  EXPECT_EQ(machine.gpu().modes.mig.value_or(9), now);
  EXPECT_EQ(machine.gpu().modes.mig_pending.value_or(9), pending);
}

TEST(MigMode, ResetsAnAmpereAndSwitchesAHopper) {
  MigMachine ampere("a100-sxm4-80gb", 14);
  MigMachine hopper("h100-sxm5-80gb", 14);
  for (MigMachine* machine : {&ampere, &hopper}) {
    ASSERT_EQ(machine->make(WriteSetting{offsetof(Gpu, modes.accounting), 1}), kSuccess);
    ASSERT_EQ(machine->make(LockGraphicsClocks{300, 600}), kSuccess);
    ASSERT_EQ(machine->make(SetMigMode{1}), kSuccess);
    expect_modes(*machine, 1, 1);
    EXPECT_EQ(machine->gpu().modes.accounting.value_or(9), 0U) << "accounting ends";
  }
  EXPECT_FALSE(ampere.gpu().clocks.locked_graphics_max_mhz.has_value()) << "it was reset";
  EXPECT_TRUE(hopper.gpu().clocks.locked_graphics_max_mhz.has_value()) << "it was not";
}

TEST(MigMode, WaitsForWhoUsesTheGpu) {
  MigMachine machine("h100-sxm5-80gb", 14);
  ASSERT_EQ(machine.make(process_of(7, kNoInstance, kNoInstance)), kSuccess);
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  expect_modes(machine, 0, 1);
  ASSERT_EQ(machine.make(EndProcess{7}), kSuccess);
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  expect_modes(machine, 1, 1);
  ASSERT_EQ(machine.make(CreateGpuInstance{19, kAnyStart, 0}), kSuccess);
  ASSERT_EQ(machine.make(SetMigMode{0}), kSuccess);
  expect_modes(machine, 1, 0);
  ASSERT_EQ(machine.make(ResetGpu{}), kSuccess);
  expect_modes(machine, 0, 0);
  EXPECT_EQ(machine.layout().gpu_instances, 0U) << "a reset leaves no instance";
}

// Persistence mode keeps the driver loaded and runs nothing on the GPU: people switch MIG on in it, as guides tell
// them.
TEST(MigMode, IsSwitchedUnderPersistenceMode) {
  for (const char* board : {"a100-sxm4-80gb", "h100-sxm5-80gb"}) {
    MigMachine machine(board, 14);
    ASSERT_EQ(machine.make(WriteSetting{offsetof(Gpu, modes.persistence), 1}), kSuccess);
    ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
    expect_modes(machine, 1, 1);
    EXPECT_EQ(machine.gpu().modes.persistence.value_or(9), 1U) << "the reset of an Ampere leaves it";
  }
}

TEST(MigMode, OfAChipWithoutMigIsNotSupported) {
  MigMachine machine("l4", 14);
  EXPECT_EQ(machine.make(SetMigMode{1}), kNotSupported);
  EXPECT_EQ(machine.make(CreateGpuInstance{19, kAnyStart, 0}), kNotSupported);
}

TEST(MigMode, TakesRootAndAGoodArgument) {
  MigMachine machine("h100-sxm5-80gb", 14, false);
  EXPECT_EQ(machine.make(SetMigMode{2}), kInvalidArgument);
  EXPECT_EQ(machine.make(SetMigMode{1}), kNoPermission);
  expect_modes(machine, 0, 0);
}

TEST(MigInstances, AreInTheWayWhileSomethingRunsInThem) {
  MigMachine machine("h100-sxm5-80gb", 14);
  EXPECT_EQ(machine.make(CreateGpuInstance{9, kAnyStart, 0}), kNotSupported) << "MIG is off";
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  EXPECT_EQ(machine.make(CreateGpuInstance{99, kAnyStart, 0}), kInvalidArgument);
  EXPECT_EQ(machine.make(CreateGpuInstance{9, 1, 4}), kInvalidArgument) << "no place";
  EXPECT_EQ(machine.make(CreateGpuInstance{9, 4, 3}), kInvalidArgument) << "not its size";
  ASSERT_EQ(machine.make(CreateGpuInstance{9, kAnyStart, 0}), kSuccess);
  ASSERT_EQ(machine.make(CreateComputeInstance{2, kAnySerial, 2, kAnyStart}), kSuccess);
  ASSERT_EQ(machine.make(process_of(7, 2, 0)), kSuccess);
  EXPECT_EQ(machine.make(process_of(8, 3, 0)), kNotFound) << "no such instance";
  EXPECT_EQ(machine.make(process_of(8, 2, 1)), kNotFound);
  EXPECT_EQ(machine.make(DestroyComputeInstance{2, 0, kAnySerial}), kInUse);
  ASSERT_EQ(machine.make(EndProcess{7}), kSuccess);
  ASSERT_EQ(machine.make(DestroyComputeInstance{2, 0, kAnySerial}), kSuccess);
  ASSERT_EQ(machine.make(DestroyGpuInstance{2, kAnySerial}), kSuccess);
}

TEST(MigInstances, HoldNoMoreThanTheirMemory) {
  MigMachine machine("h100-sxm5-80gb", 14);
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  ASSERT_EQ(machine.make(CreateGpuInstance{19, kAnyStart, 0}), kSuccess);
  const std::uint32_t id = machine.layout().gpu_instance[0].id;
  ASSERT_EQ(machine.make(CreateComputeInstance{id, kAnySerial, 0, kAnyStart}), kSuccess);
  StartProcess large = process_of(7, id, 0);
  large.used_bytes = std::uint64_t{10} << 30;
  EXPECT_EQ(machine.make(large), kMemory) << "more than 1g.10gb has, and less than the GPU";
  large.used_bytes = std::uint64_t{9} << 30;
  EXPECT_EQ(machine.make(large), kSuccess);
}

TEST(MigInstances, TellWhoWaitsForEvents) {
  MigMachine machine("h100-sxm5-80gb", 14);
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  std::uint64_t next = events_raised(machine.store().events);
  ASSERT_EQ(machine.make(CreateGpuInstance{9, kAnyStart, 0}), kSuccess);
  ASSERT_EQ(machine.make(CreateComputeInstance{2, kAnySerial, 2, kAnyStart}), kSuccess);
  std::uint64_t missed = 0;
  Event event{};
  ASSERT_TRUE(next_event(machine.store().events, &next, &missed, &event));
  EXPECT_EQ(event.type, kMigConfigEvent);
  EXPECT_EQ(event.gpu_instance, 2U);
  EXPECT_EQ(event.compute_instance, kNoInstance);
  ASSERT_TRUE(next_event(machine.store().events, &next, &missed, &event));
  EXPECT_EQ(event.gpu_instance, 2U);
  EXPECT_EQ(event.compute_instance, 0U);
}

// Ampere keeps the mode on the board; Hopper forgets it with the driver.
TEST(MigMode, SurvivesTheDriverOnAmpereAlone) {
  for (const auto& [board, after] : {std::pair{"a100-sxm4-80gb", 1u}, std::pair{"h100-sxm5-80gb", 0u}}) {
    MigMachine machine(board, 14);
    ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
    ASSERT_EQ(machine.make(CreateGpuInstance{19, kAnyStart, 0}), kSuccess);
    ASSERT_EQ(machine.make(WriteSetting{offsetof(Gpu, modes.persistence), 0}), kSuccess);
    ASSERT_EQ(machine.make(SetDrain{1}), kSuccess);
    ASSERT_EQ(machine.make(RemoveGpu{}), kSuccess);
    ASSERT_EQ(machine.make(ReturnGpu{}), kSuccess);
    expect_modes(machine, after, after);
    EXPECT_EQ(machine.layout().gpu_instances, 0U) << board;
  }
}

}  // namespace
}  // namespace nvmlab::mig_test
