// SPDX-License-Identifier: Apache-2.0
// Random faults, heals, resets and setters on one machine, and on its twin everything but the faults: once all is
// healed both are the same, but for what hardware keeps; and what faults say of each other holds at each step.
#include <cstring>
#include <random>

#include "tests/support/test_name.hpp"
#include "tests/unit/changes/faulty_machine.hpp"

namespace nvmlab::changes_test {
namespace {

using Random = std::mt19937;

std::uint32_t below(Random& random, std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); }

InjectFault any_fault(Random& random) {
  const auto kind = static_cast<FaultKind>(below(random, kFaultKinds));
  const std::uint32_t number = kind == FaultKind::xid ? xid_rows().items[below(random, xid_rows().count)].number
                               : find_fault(kind)->number == FaultNumber::none ? 0
                                                                               : below(random, 8);
  return {kind, number, kNoInstance, kNoInstance, 1 + below(random, 3)};
}

HealFault any_heal(Random& random) {
  const InjectFault fault = any_fault(random);
  return {below(random, 4) == 0, fault.kind, below(random, 2) == 0 ? HealFault::kAnyNumber : fault.number};
}

Change any_setter(Random& random, const Gpu& gpu) {
  const std::uint32_t clock = gpu.clocks.max_graphics_mhz.value_or(1000) / (1 + below(random, 3));
  switch (below(random, 10)) {
    case 0:
      return make_change(0, ResetGpu{});
    case 1:
      return make_change(0, SetPowerLimit{PowerScope::gpu, gpu.power.min_limit_mw.value_or(1) + below(random, 900)});
    case 2:
      return make_change(0, SetFanSpeed{below(random, 2), 40 + below(random, 60)});
    case 3:
      return make_change(0, LockGraphicsClocks{clock / 2, clock});
    case 4:
      return make_change(0, UnlockGraphicsClocks{});
    case 5:
      return make_change(0, ClearEccCounts{ClearEccCounts::Life::volatile_counts});
    case 6:
      return make_change(0, ClearNvlinkErrors{below(random, 4)});
    case 7: {
      PutBytes hot{offsetof(Gpu, thermal.gpu_c), 8, {}};
      Fact<std::uint32_t> celsius{};
      celsius.set(30 + below(random, 60));
      std::memcpy(hot.bytes, &celsius, sizeof celsius);
      return make_change(0, hot);
    }
    case 8:
      return make_change(0, SetMigMode{below(random, 2)});
    default:
      return make_change(0, WriteSetting{offsetof(Gpu, modes.compute_mode), below(random, 4)});
  }
}

// Of functions: none of it is to be seen in the state of a GPU.
Change any_function_change(Random& random) {
  const char* const names[] = {"nvmlDeviceGetName", "nvmlDeviceGet*", "nvmlInit"};
  const char* const name = names[below(random, 3)];
  if (below(random, 3) == 0) {
    HealFunctions heal{};
    heal.gpu = below(random, 2) == 0 ? 0 : kAnyGpu;
    if (below(random, 2) == 0) std::strcpy(heal.function, name);
    return make_change(MachinePart::functions, heal);
  }
  FailFunction fail{};
  fail.fault.gpu = below(random, 2) == 0 ? 0 : kAnyGpu;
  fail.fault.code = below(random, 20);
  fail.fault.every = below(random, 4);
  fail.fault.chance = kCertain;
  std::strcpy(fail.fault.function, name);
  return make_change(MachinePart::functions, fail);
}

// What holds whatever happens.
void expect_laws(FaultyMachine& machine) {
  const Modes& modes = machine.now().modes;
  const Ecc& ecc = machine.now().ecc;
  std::uint32_t refuses = 0;
  bool asks = false;
  bool remap = false;
  for (const ActiveFault& fault : machine.faults()) {
    if (fault.refuses != 0) refuses = refuses == 0 ? fault.refuses : std::min(refuses, fault.refuses);
    asks = asks || fault.recovery == kResetGpu;
    remap = remap || (fault.holds & kHoldsRemapPending) != 0;
  }
  EXPECT_EQ(refusal_of(machine.slot()), refuses);
  const FunctionFaultTable& functions = machine.store().functions;
  const bool calls_fail = !functions.copies[functions.sequence & 1].none();
  EXPECT_EQ(functions_have_faults(machine.store()), calls_fail);
  EXPECT_EQ(gpus_set_apart(machine.store()), (refuses == 0 ? 0U : 1U) + (calls_fail ? 1U : 0U));
  EXPECT_EQ(machine.slot().handle & kFaultyCalls, calls_fail ? kFaultyCalls : 0U);
  if (asks && modes.recovery_action.has_value()) {
    EXPECT_EQ(modes.recovery_action.value, std::uint32_t{kResetGpu});
  }
  if (modes.recovery_action.has_value() && modes.reset_required.has_value()) {
    EXPECT_EQ(modes.reset_required.value == 1, modes.recovery_action.value == kResetGpu) << "fields 226 and 230";
  }
  if (remap && ecc.remap_pending.has_value()) {
    EXPECT_EQ(ecc.remap_pending.value, 1U);
  }
  EXPECT_LE(ecc.remapped_correctable.value_or(0) + ecc.remapped_uncorrectable.value_or(0), 512U);
}

class RandomFaults : public testing::TestWithParam<const char*> {};

TEST_P(RandomFaults, LeaveNothingBehindOnceHealed) {
  FaultyMachine machine(GetParam(), 1);
  FaultyMachine twin(GetParam(), 1);
  const std::vector<Row> rows = rows_of_gpu(18);
  Random random(20261122);
  std::size_t injected = 0;
  for (int round = 0; round < 40; ++round) {
    for (int step = 0; step < 30; ++step) {
      if (below(random, 5) == 0) machine.make(any_function_change(random));
      const std::uint32_t choice = below(random, 6);
      if (choice < 2) {
        injected += machine.make(any_fault(random)) == kSuccess ? 1 : 0;
      } else if (choice == 2) {
        machine.make(any_heal(random));
      } else {
        const Change change = any_setter(random, twin.now());
        ASSERT_EQ(machine.make(change), twin.make(change)) << "a fault does not stand in the way of control";
      }
      expect_laws(machine);
    }
    ASSERT_EQ(machine.heal(), kSuccess);
    ASSERT_EQ(machine.make(make_change(MachinePart::functions, HealFunctions{kAnyGpu, 0, {}})), kSuccess);
    ASSERT_EQ(machine.slot().handle, twin.slot().handle);
    ASSERT_EQ(differences(twin.now(), machine.now(), rows), "") << "round " << round;
    ASSERT_EQ(machine.faults().beneath_size(), 0U);
  }
  EXPECT_GT(injected, 200U);
}

INSTANTIATE_TEST_SUITE_P(Shipped, RandomFaults, testing::Values("dgx-h100", "dgx-a100", "t4", "v100s-server", "gb300"),
                         test::NamedByParam{});

}  // namespace
}  // namespace nvmlab::changes_test
