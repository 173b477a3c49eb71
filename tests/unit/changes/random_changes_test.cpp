// SPDX-License-Identifier: Apache-2.0
// Whatever is asked of a shipped machine, counters fall only by what their rows name, and the state stays one that the
// profile compiler would take.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

#include "compiler/checks.hpp"
#include "compiler/compile.hpp"
#include "engine/change/change.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/load/motion.hpp"
#include "tests/support/test_name.hpp"
#include "tests/unit/changes/rows.hpp"

namespace nvmlab::changes_test {
namespace {

struct alignas(64) Block {
  std::byte bytes[64];
};

using Random = std::mt19937;

std::uint32_t below(Random& random, std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); }

// One of some values that matter, or any at all.
std::uint32_t number(Random& random) {
  constexpr std::uint32_t some[] = {0, 1, 2, 3, 17, 100, 1410, 300'000, 700'000, ~0u};
  const std::uint32_t at = below(random, 12);
  return at < std::size(some) ? some[at] : static_cast<std::uint32_t>(random());
}

struct Asked {
  Change change;
  std::set<std::string> clears;  // what it may set back to zero
};

StartProcess process_of(std::uint32_t pid, const Gpu& gpu, Random& random) {
  StartProcess process{};
  process.pid = pid;
  process.kinds = 1;
  process.gpu_instance = process.compute_instance = kNoInstance;
  const auto& instances = gpu.instances.compute_instances;
  if (instances.size() == 0) return process;
  const Instances::ComputeInstance& in = instances[below(random, instances.size())];
  process.gpu_instance = in.gpu_instance.value;
  process.compute_instance = in.id.value;
  return process;
}

SetLoad work_of(std::uint32_t pid, Random& random) {
  SetLoad load{static_cast<LoadKind>(below(random, 5)), below(random, 101), kOfKind, kSameAir, 0};
  load.pid = pid;
  return load;
}

// A change of each kind, with arguments from all over; and sensible ones, so that not all are refused.
Asked any_change(Random& random, const Gpu& gpu) {
  const auto n = [&] { return number(random); };
  const std::uint32_t clock =
      gpu.clocks.supported.size() > 0 && gpu.clocks.supported[0].graphics_mhz.size() > 0
          ? gpu.clocks.supported[0].graphics_mhz[below(random, gpu.clocks.supported[0].graphics_mhz.size())]
          : n();
  const std::uint32_t memory = gpu.clocks.supported.size() > 0 ? gpu.clocks.supported[0].memory_mhz.value : n();
  switch (below(random, 44)) {
    case 0:
      return {make_change(0, ResetGpu{}), {"reset"}};
    case 1:
      return {make_change(0, SetPowerLimit{static_cast<PowerScope>(below(random, 2)), n()}), {}};
    case 2:
      return {make_change(0, SetPowerLimit{PowerScope::gpu, gpu.power.min_limit_mw.value_or(1) + n() % 1000}), {}};
    case 3:
      return {make_change(0, SetPowerSmoothing{n()}), {}};
    case 4:
      return {make_change(0, ActivateSmoothingProfile{n()}), {}};
    case 5:
      return {make_change(0, SetSmoothingParameter{n() % 6, n() % 9, static_cast<double>(n())}), {}};
    case 6:
      return {make_change(0, SetPowerMizerMode{n()}), {}};
    case 7:
      return {make_change(0, SetAdaptiveTgp{n()}), {}};
    case 8:
      return {make_change(0, SetTemperatureTarget{SetTemperatureTarget::Target::acoustic, static_cast<int>(n())}), {}};
    case 9:
      return {make_change(0, SetFanSpeed{n() % 3, n()}), {}};
    case 10:
      return {make_change(0, SetFanPolicy{n() % 3, n()}), {}};
    case 11:
      return {make_change(0, SetApplicationClocks{memory, clock}), {}};
    case 12:
      return {make_change(0, ResetApplicationClocks{}), {}};
    case 13:
      return {make_change(0, SetAutoBoost{n()}), {}};
    case 14:
      return {make_change(0, LockGraphicsClocks{n(), n()}), {}};
    case 15:
      return {make_change(0, LockGraphicsClocks{clock / 2, clock}), {}};
    case 16:
      return {make_change(0, UnlockGraphicsClocks{}), {}};
    case 17:
      return {make_change(0, LockMemoryClocks{memory / 2, memory}), {}};
    case 18:
      return {make_change(0, UnlockMemoryClocks{}), {}};
    case 19:
      return {make_change(0, SetClockOffset{static_cast<OffsetDomain>(below(random, 3)), n(), static_cast<int>(n())}),
              {}};
    case 20:
      return {make_change(0, SetMigMode{n()}), {}};
    case 21:
      return {make_change(0, SetDrain{n()}), {}};
    case 22:
      return {make_change(0, ClearEccCounts{ClearEccCounts::Life::volatile_counts}), {"ecc_volatile"}};
    case 23:
      return {make_change(0, ClearEccCounts{ClearEccCounts::Life::aggregate_counts}), {"ecc_aggregate"}};
    case 24:
      return {make_change(0, SetNvlinkBandwidthMode{n() % 2, n()}), {}};
    case 25:
      return {make_change(0, SetNvlinkLowPowerThreshold{n()}), {}};
    case 26:
      return {make_change(0, ClearNvlinkErrors{n() % 18}), {"nvlink_errors"}};
    case 27:
      return {make_change(0, SetNvlinkCounter{n() % 18, n() % 3, n(), n(), 1}), {"nvlink_utilization"}};
    case 28:
      return {make_change(0, SetDramEncryption{n()}), {}};
    case 29:
    case 30:
      return {make_change(0, SetLoad{static_cast<LoadKind>(below(random, 6)), n(), n() % 101, kSameAir, 0}), {}};
    case 31:
      return {make_change(0, SetLoad{static_cast<LoadKind>(below(random, 5)), kOfKind, kOfKind, n() % 70, n(),
                                     n() % 101, n() % 101, n()}),
              {}};
    case 32:
      return {make_change(MachinePart::clock, AdvanceMachineClock{std::uint64_t{n()} * 1000}), {}};
    case 33:
      return {make_change(0, SetMigMode{below(random, 2)}), {}};
    case 34:
    case 35:
      return {make_change(0, CreateGpuInstance{gpu.mig.profiles.size() > 0
                                                   ? gpu.mig.profiles[below(random, gpu.mig.profiles.size())].id.value
                                                   : n(),
                                               kAnyStart, 0}),
              {}};
    case 36:
      return {make_change(0, DestroyGpuInstance{below(random, 15), kAnySerial}), {}};
    case 37:
      return {make_change(0, CreateComputeInstance{below(random, 15), kAnySerial, below(random, 9), kAnyStart}), {}};
    case 38:
      return {make_change(0, DestroyComputeInstance{below(random, 15), below(random, 8), kAnySerial}), {}};
    case 39:
      return {make_change(0, process_of(1 + below(random, 10), gpu, random)), {}};
    case 40:
      return {make_change(0, EndProcess{1 + below(random, 10)}), {}};
    case 41:
    case 42:
      return {make_change(0, work_of(1 + below(random, 10), random)), {}};
    default:
      return {make_change(0, RequestWorkloadProfiles{RequestWorkloadProfiles::Join::add, {{n()}}}), {}};
  }
}

bool allowed(const Row& row, const std::set<std::string>& clears) {
  for (const std::string& each : clears) {
    if ((" " + row.cleared_by + " ").find(" " + each + " ") != std::string::npos) return true;
  }
  return false;
}

class RandomChanges : public testing::TestWithParam<const char*> {
 protected:
  void expect_counters(const Gpu& before, const Gpu& after, const Asked& asked) {
    for (const Row& row : rows_) {
      if (row.field->kind != FieldKind::counter || !is_number(*row.field)) continue;
      if (!known_at(before, *row.field, row.offset)) continue;
      const std::uint64_t was = value_at(before, *row.field, row.offset);
      const std::uint64_t is = value_at(after, *row.field, row.offset);
      if (is >= was) continue;
      EXPECT_TRUE(allowed(row, asked.clears))
          << row.path << " fell from " << was << " to " << is << " by kind " << asked.change.kind;
    }
  }

  static std::string problems_of(const Node& node, const Gpu& gpu) {
    compiler::NodeDraft draft;
    *draft.state = node;
    std::vector<compiler::GpuDraft> gpus(1);
    *gpus[0].state = gpu;
    const yaml::Place place;
    const auto problems = compiler::located(compiler::check(draft, gpus, {&place}));
    return problems.empty() ? "" : compiler::describe(problems);
  }

  const std::vector<Row> rows_ = rows_of_gpu(18);
};

TEST_P(RandomChanges, LeaveASoundMachine) {
  const auto machine = compiler::compile(GetParam());
  ASSERT_TRUE(machine) << compiler::describe(machine.error());
  Image image;
  ASSERT_EQ(open_image(machine->image.data(), machine->image.size(), &image), ImageError::none);
  std::vector<Block> memory(store_size(1) / sizeof(Block) + 1);
  build_store(memory.data(), image, 1, "random", 3, {.mode = ClockMode::virtual_time});
  Store& store = *reinterpret_cast<Store*>(memory.data());
  StoreFile file;
  MachineAccess target{store, file, true};
  const auto told = [&] {
    auto gpu = std::make_unique<Gpu>(store.gpus()[0].copies[store.gpus()[0].sequence & 1]);
    resolve(*gpu, machine_time_ns(store.clock));
    derived::compute(*gpu);
    return gpu;
  };
  const auto node = std::make_unique<Node>(machine->node());
  ASSERT_EQ(problems_of(*node, *told()), "") << "as shipped";

  Random random(20261122);
  std::size_t made = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto before = told();
    const Asked asked = any_change(random, *before);
    if (apply(target, asked.change).code != kSuccess) continue;
    ++made;
    const auto after = told();
    expect_counters(*before, *after, asked);
    ASSERT_EQ(problems_of(*node, *after), "") << "after a change of kind " << asked.change.kind;
  }
  EXPECT_GT(made, 100U) << "hardly anything was asked that the board does";
}

INSTANTIATE_TEST_SUITE_P(Shipped, RandomChanges, testing::Values("dgx-h100", "dgx-a100", "t4", "v100s-server", "gb300"),
                         test::NamedByParam{});

}  // namespace
}  // namespace nvmlab::changes_test
