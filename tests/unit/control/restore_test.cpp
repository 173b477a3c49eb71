// SPDX-License-Identifier: Apache-2.0
// A machine that goes back to a snapshot is the same to the byte, whatever was done to it.
#include "control/restore.hpp"

#include <unistd.h>

#include <random>

#include "control/differences.hpp"
#include "control/snapshot_file.hpp"
#include "engine/change/ended_processes.hpp"
#include "engine/store/real_process.hpp"
#include "engine/topics/events/event_types.hpp"
#include "tests/unit/control/machine.hpp"

namespace nvmlab::control {
namespace {

using test::kMargin;
using test::kTemperature;
using test::number;
using test::OneMachine;

class Restoring : public testing::Test {
 protected:
  std::uint32_t restored(const Snapshot& wanted) {
    const auto gpus = restore(machine.store(), machine.file(), wanted);
    EXPECT_TRUE(gpus) << gpus.error();
    return gpus.value_or(99);
  }
  void expect_same(const Snapshot& wanted) {
    const Snapshot now = machine.snapshot();
    EXPECT_TRUE(differences(wanted, now).empty());
    EXPECT_EQ(to_bytes(now), to_bytes(wanted));
  }
  std::string refusal_of(const Snapshot& wanted) {
    const auto gpus = restore(machine.store(), machine.file(), wanted);
    return gpus ? "" : gpus.error();
  }
  std::vector<LogEntry> log() {
    std::vector<LogEntry> entries;
    std::uint64_t place = 0;
    std::uint64_t number = 0;
    LogEntry entry{};
    while (next_entry(machine.store().log, &place, &entry, &number))
      entries.push_back(entry);
    return entries;
  }
  std::vector<Event> events() {
    std::vector<Event> found;
    std::uint64_t next = 0;
    std::uint64_t missed = 0;
    Event event{};
    while (next_event(machine.store().events, &next, &missed, &event))
      found.push_back(event);
    return found;
  }

  OneMachine machine;
};

TEST_F(Restoring, WhatIsTheSameIsLeftAlone) {
  const std::uint64_t sequence = machine.store().gpus()[0].sequence;
  EXPECT_EQ(restored(machine.snapshot()), 0u);
  EXPECT_EQ(machine.store().gpus()[0].sequence, sequence);
  EXPECT_TRUE(log().empty());
}

TEST_F(Restoring, OnlyTheGpuThatDiffersChanges) {
  const Snapshot before = machine.snapshot();
  machine.change(1, test::put(kTemperature, number(91)));
  const std::uint64_t sequence = machine.store().gpus()[1].sequence;
  EXPECT_EQ(restored(before), 1u);
  expect_same(before);
  EXPECT_EQ(machine.store().gpus()[1].sequence, sequence_behind(machine.store().gpus()[1], sequence)) << "at once";
  const auto entries = log();
  ASSERT_EQ(entries.size(), 3u) << "the temperature, that a snapshot is restored, and what of it";
  EXPECT_EQ(entries[1].kind, kKindOf<RestoreSnapshot>);
  EXPECT_EQ(entries[2].kind, kKindOf<RestoreBytes>);
}

// Rules would make something else of each of these: locked clocks hold, pins stay on top, totals follow their parts.
TEST_F(Restoring, NoRuleComesInBetween) {
  machine.change(0, LockGraphicsClocks{1200, 1200});
  machine.change(0, test::pin(kMargin, number(5)));
  machine.change(0, test::pin(kTemperature, number(66)));
  machine.change(0, test::put(kTemperature, number(67)));  // beneath the pin
  const Snapshot before = machine.snapshot();
  machine.change(0, UnlockGraphicsClocks{});
  machine.change(0, LockGraphicsClocks{300, 600});
  machine.change(0, test::put(offsetof(Gpu, clocks.graphics_mhz), number(450)));
  machine.change(0, ReleaseField{kMargin});
  machine.change(0, ReleaseField{kTemperature});
  machine.change(0, test::pin(offsetof(Gpu, power.limit_mw), number(250'000)));
  restored(before);
  expect_same(before);
  machine.change(0, ReleaseField{kTemperature});
  const Gpu now = load(machine.store().gpus()[0].copies[machine.store().gpus()[0].sequence & 1]);
  EXPECT_EQ(now.thermal.gpu_c.value, 67u) << "what lay beneath the pin came back too";
}

TEST_F(Restoring, AResetIsUndone) {
  machine.change(0, SetPowerLimit{PowerScope::gpu, 300'000});
  machine.change(0, test::put(kTemperature, number(91)));
  const Snapshot before = machine.snapshot();
  machine.change(0, ResetGpu{});
  restored(before);
  expect_same(before);
}

TEST_F(Restoring, GpusAreRemovedAndFoundAgain) {
  const auto remove = [this](std::uint32_t gpu) {
    machine.change(gpu, test::put(offsetof(Gpu, modes.persistence), number(0)));
    machine.change(gpu, SetDrain{1});
    machine.change(gpu, RemoveGpu{});
  };
  remove(0);
  machine.change(1, test::put(kTemperature, number(70)));
  const Snapshot without_first = machine.snapshot();
  EXPECT_FALSE(without_first.beside_gpus[0].present);
  const std::uint64_t gone = machine.store().gpus()[1].handle;
  machine.change(0, ReturnGpu{});
  machine.change(0, test::put(kTemperature, number(99)));
  remove(1);
  const std::size_t raised = events().size();
  EXPECT_EQ(restored(without_first), 2u);
  expect_same(without_first);
  EXPECT_FALSE(present(machine.store().gpus()[0]));
  EXPECT_TRUE(present(machine.store().gpus()[1]));
  EXPECT_NE(machine.store().gpus()[1].handle, gone) << "a handle never comes back";
  const auto told = events();
  ASSERT_EQ(told.size(), raised + 2);
  EXPECT_EQ(told[raised].type, kDriverUnbindEvent);
  EXPECT_EQ(told[raised + 1].type, kDriverBindEvent);
}

TEST_F(Restoring, TheClockGoesOn) {
  const Snapshot before = machine.snapshot();
  EXPECT_EQ(machine.apply(make_change(MachinePart::clock, AdvanceMachineClock{3'600'000'000'000})), kSuccess);
  machine.change(0, test::put(kTemperature, number(91)));
  restored(before);
  EXPECT_EQ(machine_time_ns(machine.store().clock), kVirtualBeginning + 3'600'000'000'000);
  EXPECT_TRUE(differences(before, machine.snapshot()).empty());
}

// A process that runs comes back and is followed; one that has ended meanwhile goes as soon as somebody looks.
TEST_F(Restoring, RealProcessesAreFollowedAgain) {
  const auto self = static_cast<std::uint32_t>(::getpid());
  const auto start = [this](std::uint32_t pid, std::uint64_t ticks) {
    machine.change(0, StartProcess{.pid = pid,
                                   .kinds = 1,
                                   .used_bytes = 1 << 20,
                                   .start_ticks = ticks,
                                   .pid_namespace = own_pid_namespace(),
                                   .gpu_instance = kNoInstance,
                                   .compute_instance = kNoInstance,
                                   .sm_percent = 0,
                                   .memory_percent = 0,
                                   .name = "train"});
  };
  start(self, start_of_process(self));
  start(2147483646, 12345);
  const Snapshot before = machine.snapshot();
  OneMachine other;
  ASSERT_TRUE(restore(other.store(), other.file(), before));
  MachineAccess access{other.store(), other.file(), true};
  settle_processes(access);
  const Snapshot now = other.snapshot();
  ASSERT_EQ(now.gpus[0].processes.running.size(), 1u);
  EXPECT_EQ(now.gpus[0].processes.running[0].pid.value, self);
}

TEST_F(Restoring, WhatDoesNotFitIsRefusedAndNothingChanges) {
  const auto one_gpu = compiler::compile("dgx-h100", {.gpus = 1, .driver = {}});
  const auto other_board = compiler::compile("dgx-a100", {.gpus = 2, .driver = {}});
  ASSERT_TRUE(one_gpu && other_board);
  const Snapshot before = machine.snapshot();
  EXPECT_EQ(refusal_of(OneMachine(*one_gpu).snapshot()),
            "the snapshot is of a machine with 1 GPU, and this one has 2; `nvmlab up --profile dgx-h100 --gpus 1` "
            "brings up one like it");
  EXPECT_EQ(refusal_of(OneMachine(*other_board).snapshot()),
            "the snapshot is of a machine of profile 'dgx-a100', and this one is of 'dgx-h100'; `nvmlab up --profile "
            "dgx-a100` brings up one like it");
  Snapshot odd = machine.snapshot();
  odd.gpus[0].thermal.gpu_c.set(91);
  odd.beside_gpus[1].pins.push_back({sizeof(Gpu), 8, {}, {}});
  EXPECT_NE(refusal_of(odd).find("NVML_ERROR_INVALID_ARGUMENT"), std::string::npos) << "a pin beyond the end of a GPU";
  expect_same(before);
}

// As much of a GPU as there is: the log keeps what was asked before.
TEST_F(Restoring, FloodsNoLog) {
  machine.change(0, test::put(kTemperature, number(91)));
  Snapshot wanted = machine.snapshot();
  wanted.gpus[0] = Gpu{};
  wanted.gpus[1] = Gpu{};
  EXPECT_EQ(restored(wanted), 2u);
  expect_same(wanted);
  const auto entries = log();
  ASSERT_EQ(entries.size(), 3u);
  RestoreSnapshot body{};
  std::memcpy(&body, entries[1].body, sizeof body);
  EXPECT_EQ(body.snapshot, checksum_of(wanted));
  EXPECT_GT(body.places, 16u);
}

// Random words are set and pinned; back is back, from wherever.
TEST_F(Restoring, FromAnywhereToAnywhere) {
  std::mt19937 random(12);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
  constexpr std::uint32_t kScalars[] = {kTemperature,
                                        kMargin,
                                        offsetof(Gpu, power.limit_mw),
                                        offsetof(Gpu, power.enforced_limit_mw),
                                        offsetof(Gpu, clocks.graphics_mhz),
                                        offsetof(Gpu, clocks.locked_graphics_max_mhz),
                                        offsetof(Gpu, ecc.corrected_volatile.l1_cache),
                                        offsetof(Gpu, modes.persistence)};
  std::vector<Snapshot> snapshots;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 5; ++i) {
      const auto gpu = static_cast<std::uint32_t>(random() % 2);
      const std::uint32_t field = kScalars[random() % std::size(kScalars)];
      const Fact<std::uint32_t> value = number(static_cast<std::uint32_t>(random() % 1000));
      switch (random() % 3) {
        case 0:
          machine.apply(
              make_change(gpu, test::put(field, value)));  // a value that the field's rule rejects changes nothing
          break;
        case 1:
          machine.change(gpu, test::pin(field, value));
          break;
        default:
          machine.change(gpu, ReleaseField{field});
      }
    }
    snapshots.push_back(machine.snapshot());
    const Snapshot& wanted = snapshots[random() % snapshots.size()];
    restored(wanted);
    expect_same(wanted);
  }
}

}  // namespace
}  // namespace nvmlab::control
