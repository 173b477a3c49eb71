// SPDX-License-Identifier: Apache-2.0
// Snapshots hold what can be read of a machine, and nothing else.
#include "control/snapshot.hpp"

#include <cstring>

#include "compiler/canonical.hpp"
#include "control/snapshot_file.hpp"
#include "tests/unit/control/machine.hpp"

namespace nvmlab::control {
namespace {

using test::OneMachine;

TEST(SnapshotOfAMachine, HasAllOfItsState) {
  OneMachine machine;
  const Snapshot snapshot = machine.snapshot();
  EXPECT_EQ(snapshot.machine, "node");
  EXPECT_EQ(snapshot.profile, "dgx-h100");
  EXPECT_EQ(snapshot.seed, 7u);
  EXPECT_EQ(snapshot.time_ns, kVirtualBeginning);
  EXPECT_EQ(snapshot.clock, ClockMode::virtual_time);
  ASSERT_EQ(snapshot.gpu_count(), 2u);
  // The compiler leaves nothing between the fields, so a state that it made stays as it is: no field is forgotten.
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto stored = std::make_unique<Gpu>(load(machine.store().gpus()[i].copies[0]));
    EXPECT_EQ(std::memcmp(&snapshot.gpus[i], stored.get(), sizeof(Gpu)), 0);
  }
  EXPECT_EQ(std::memcmp(snapshot.node.get(), &machine.store().node.copies[0], sizeof(Node)), 0);
}

// The same fields by another way: a list that was longer, a text that was, a number under a return code, padding.
TEST(SnapshotOfAMachine, SaysNothingOfHowItCameAbout) {
  const auto before = std::make_unique<Gpu>();
  before->identity.name.set("short", 5);
  before->thermal.gpu_c.set_error(15);
  before->memory.total_bytes.set(1);
  const auto after = std::make_unique<Gpu>(*before);
  after->identity.name.data[7] = 'x';
  after->thermal.gpu_c.value = 99;
  after->processes.running.items[3].pid.set(42);
  after->processes.running.reserved = 7;
  std::memset(reinterpret_cast<char*>(&after->memory.total_bytes) + 12, 0xAA, 4);
  const auto one = std::make_unique<Gpu>();
  const auto other = std::make_unique<Gpu>();
  compiler::copy_canonical(*before, one.get());
  compiler::copy_canonical(*after, other.get());
  EXPECT_EQ(std::memcmp(one.get(), other.get(), sizeof(Gpu)), 0);
}

TEST(SnapshotOfAMachine, TwoRunsThatAreTheSameGiveTheSameBytes) {
  const auto run = [] {
    OneMachine machine;
    machine.change(0, test::put(test::kTemperature, test::number(91)));
    machine.change(1, test::pin(test::kMargin, test::number(5)));
    machine.change(1, StartProcess{.pid = 2147483647,
                                   .kinds = 1,
                                   .used_bytes = 1 << 20,
                                   .start_ticks = 0,
                                   .pid_namespace = 0,
                                   .gpu_instance = kNoInstance,
                                   .compute_instance = kNoInstance,
                                   .sm_percent = 0,
                                   .memory_percent = 0,
                                   .name = "train"});
    EXPECT_EQ(machine.apply(make_change(MachinePart::clock, AdvanceMachineClock{3'600'000'000'000})), kSuccess);
    machine.change(1, EndProcess{2147483647});
    return to_bytes(machine.snapshot());
  };
  EXPECT_EQ(run(), run());
}

TEST(SnapshotOfAMachine, ThatWasTakenDownIsRefused) {
  OneMachine machine;
  ASSERT_FALSE(remove_store(machine.path().c_str(), Owner::anybody));
  const auto snapshot = take_snapshot(machine.store(), machine.file());
  ASSERT_FALSE(snapshot);
  EXPECT_NE(snapshot.error().find("taken down"), std::string::npos) << snapshot.error();
}

}  // namespace
}  // namespace nvmlab::control
