// SPDX-License-Identifier: Apache-2.0
// Several processes on one GPU: what each is told of it, and what the GPU is with all of them.
#include "engine/topics/load/workers.hpp"

#include <gtest/gtest.h>

#include "engine/topics/load/moving_part.hpp"
#include "tests/unit/load/loaded_machine.hpp"

namespace nvmlab::load_test {
namespace {

class Workers : public testing::Test {
 protected:
  void begin(LoadedMachine& of, std::uint32_t pid, std::uint32_t gpu_instance = kNoInstance) {
    StartProcess process{};
    process.pid = pid;
    process.kinds = 1;
    process.gpu_instance = gpu_instance;
    process.compute_instance = gpu_instance == kNoInstance ? kNoInstance : 0;
    ASSERT_EQ(of.make(process), kSuccess);
  }
  static Code work(LoadedMachine& of, std::uint32_t pid, LoadKind kind, std::uint32_t sm = kOfKind,
                   std::uint32_t memory = kOfKind) {
    SetLoad load{kind, sm, memory, kSameAir, 0};
    load.pid = pid;
    return of.make(load);
  }
  static std::uint32_t sm_of(const Gpu& gpu, std::uint32_t pid) {
    for (const Processes::Process& each : gpu.processes.running) {
      if (each.pid.value == pid) return each.sm_percent.value_or(~0U);
    }
    return ~0U;
  }

  LoadedMachine machine{"gpu-h100x1-80gb"};
};

TEST_F(Workers, HavePartsThatAddUpToTheGpu) {
  for (const std::uint32_t pid : {11U, 12U, 13U})
    begin(machine, pid);
  ASSERT_EQ(work(machine, 11, LoadKind::training, 40, 20), kSuccess);
  ASSERT_EQ(work(machine, 12, LoadKind::inference, 20, 10), kSuccess);
  ASSERT_EQ(work(machine, 13, LoadKind::inference, 15, 33), kSuccess);
  for (int second = 0; second < 20; ++second) {
    machine.advance(kSecond);
    const auto now = machine.told();
    std::uint32_t sm = 0;
    std::uint32_t memory = 0;
    for (const Processes::Process& each : now->processes.running) {
      sm += each.sm_percent.value;
      memory += each.memory_percent.value;
    }
    EXPECT_EQ(sm, now->utilization.gpu_percent.value);
    EXPECT_EQ(memory, now->utilization.memory_percent.value);
  }
  const auto now = machine.told();
  EXPECT_NEAR(sm_of(*now, 11), 40, 3);
  EXPECT_NEAR(sm_of(*now, 12), 20, 3);
  EXPECT_NEAR(now->utilization.gpu_percent.value, 75, 3);
}

TEST_F(Workers, TakeTurnsWhereTheyWantMoreThanThereIs) {
  begin(machine, 11);
  begin(machine, 12);
  ASSERT_EQ(work(machine, 11, LoadKind::training, 100), kSuccess);
  machine.advance(kMinute);
  const std::uint32_t alone = machine.told()->power.draw_mw.value;
  ASSERT_EQ(work(machine, 12, LoadKind::training, 100), kSuccess);
  machine.advance(kMinute);
  const auto both = machine.told();
  EXPECT_EQ(both->utilization.gpu_percent.value, 100U);
  EXPECT_EQ(sm_of(*both, 11), 50U);
  EXPECT_EQ(sm_of(*both, 12), 50U);
  EXPECT_NEAR(both->power.draw_mw.value, alone, alone * 0.03) << "a chip can do no more than all";
}

TEST_F(Workers, EndOneByOne) {
  begin(machine, 11);
  begin(machine, 12);
  ASSERT_EQ(work(machine, 11, LoadKind::training, 40), kSuccess);
  ASSERT_EQ(work(machine, 12, LoadKind::training, 40), kSuccess);
  machine.advance(kMinute);
  const std::uint32_t both = machine.told()->power.draw_mw.value;
  ASSERT_EQ(work(machine, 99, LoadKind::idle), kNotFound);
  ASSERT_EQ(machine.make(EndProcess{11}), kSuccess);
  machine.advance(kMinute);
  auto now = machine.told();
  EXPECT_NEAR(now->utilization.gpu_percent.value, 40, 3);
  EXPECT_EQ(sm_of(*now, 12), now->utilization.gpu_percent.value);
  EXPECT_LT(now->power.draw_mw.value, both);
  ASSERT_EQ(work(machine, 12, LoadKind::idle), kSuccess);
  machine.advance(kMinute);
  now = machine.told();
  EXPECT_EQ(now->utilization.gpu_percent.value, 0U);
  EXPECT_EQ(sm_of(*now, 12), 0U);
}

TEST_F(Workers, AreNoMoreThanThereIsRoomFor) {
  for (std::uint32_t pid = 1; pid <= kMaxWorkers + 1; ++pid)
    begin(machine, pid);
  for (std::uint32_t pid = 1; pid <= kMaxWorkers; ++pid)
    ASSERT_EQ(work(machine, pid, LoadKind::inference, 10), kSuccess);
  EXPECT_EQ(work(machine, kMaxWorkers + 1, LoadKind::inference, 10), kInsufficientResources);
  EXPECT_EQ(work(machine, kMaxWorkers, LoadKind::inference, 20), kSuccess) << "one of them does something else";
  ASSERT_EQ(machine.load(LoadKind::training), kSuccess);
  machine.advance(kMinute);
  EXPECT_EQ(sm_of(*machine.told(), 1), 0U) << "work of nobody takes the place of all";
}

// Process 11 has 60 of the 132 SMs, 12 has 32 of them.
TEST_F(Workers, OfMigInstancesHaveTheirMultiprocessors) {
  LoadedMachine partitioned("gpu-h100x1-80gb-mig");
  LoadedMachine whole("gpu-h100x1-80gb-mig");
  begin(partitioned, 11, 2);
  begin(partitioned, 12, 3);
  ASSERT_EQ(work(partitioned, 11, LoadKind::training, 100, 100), kSuccess);
  ASSERT_EQ(whole.make(SetLoad{LoadKind::training, 45, 50, kSameAir, 0}), kSuccess);
  partitioned.advance(kMinute);
  whole.advance(kMinute);
  auto now = partitioned.told();
  EXPECT_NEAR(sm_of(*now, 11), 100, 5) << "of its instance";
  EXPECT_EQ(sm_of(*now, 12), 0U);
  EXPECT_NEAR(now->power.draw_mw.value, whole.told()->power.draw_mw.value, 10'000) << "60 of 132 SMs";
  ASSERT_EQ(work(partitioned, 12, LoadKind::training, 100, 0), kSuccess);
  partitioned.advance(kMinute);
  now = partitioned.told();
  EXPECT_NEAR(sm_of(*now, 11), 100, 5) << "nobody takes its turn";
  EXPECT_NEAR(sm_of(*now, 12), 100, 8);
}

TEST(MovingPart, IsAllOrPartsThatAddUp) {
  EXPECT_EQ(part_of(0, 77), 77U);
  EXPECT_EQ(part_of(part_between(0, kWholePart), 77), 77U);
  EXPECT_EQ(part_of(part_between(1, 1), 100), 0U);
  for (std::uint64_t whole = 0; whole <= 100; ++whole)
    EXPECT_EQ(part_of(part_between(0, 1000), whole) + part_of(part_between(1000, 3333), whole) +
                  part_of(part_between(3333, kWholePart), whole),
              whole);
  EXPECT_EQ(part_of(part_of_instance(9010), 45), 99U);
  EXPECT_EQ(part_of(part_of_instance(90'100), 45), 100U);
}

}  // namespace
}  // namespace nvmlab::load_test
