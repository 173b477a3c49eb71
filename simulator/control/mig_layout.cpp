// SPDX-License-Identifier: Apache-2.0
#include "control/mig_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "control/refusals.hpp"
#include "engine/topics/mig/compute_profiles.hpp"

namespace nvmlab::control {
namespace {

struct NamedProfile {
  std::string name;  // 3g.40gb
  MigProfile profile;
};

struct CutState {
  MigBoard board;
  MigLayout layout;
  std::vector<NamedProfile> profiles;
};

CutState read_state(const Machine& machine, std::uint32_t gpu) {
  CutState state{};
  const GpuSlot& slot = machine.store().gpus()[gpu];
  consistent(slot, [&state](const Gpu& now) {
    state.board = read_board(now.mig);
    state.layout = read_layout(now.instances);
    state.profiles.clear();
    for (std::uint32_t i = 0; i < state.board.count; ++i) {
      const Text<96> name = load(now.mig.profiles.items[i].name);
      const std::string text(name.data);
      state.profiles.push_back({text.starts_with("MIG ") ? text.substr(4) : text, state.board.profiles[i]});
    }
    return true;
  });
  return state;
}

std::vector<std::string> names_of(const CutState& state) {
  std::vector<std::string> names;
  for (const NamedProfile& each : state.profiles)
    names.push_back(each.name);
  return names;
}

std::expected<void, std::string> ask(Machine& machine, const Change& change, const std::string& what) {
  const auto done = machine.apply(change);
  if (done) return {};
  return std::unexpected(refusal(done.error().code, change, what));
}

std::expected<void, std::string> switch_on(Machine& machine, std::uint32_t gpu) {
  const auto on = [&] { return read_field(machine.store().gpus()[gpu], &Gpu::modes, &Modes::mig); };
  if (!on().has_value()) return std::unexpected(fmt::format("GPU {} has no MIG", gpu));
  if (auto done = ask(machine, make_change(gpu, SetMigMode{1}), "MIG mode"); !done) return done;
  if (on().value_or(0) == 0) {
    if (auto done = ask(machine, make_change(gpu, ResetGpu{}), "the GPU"); !done) return done;
  }
  return {};
}

// `others`: how many GPU instances the GPU has already.
std::expected<void, std::string> make_instance(Machine& machine, std::uint32_t gpu, const CutState& state,
                                               std::size_t others, const std::string& name) {
  for (const NamedProfile& each : state.profiles) {
    if (each.name != name) continue;
    const auto done = machine.apply(make_change(gpu, CreateGpuInstance{each.profile.id, kAnyStart, 0}));
    if (done) return {};
    if (done.error().code == kInsufficientResources)
      return std::unexpected(fmt::format("GPU {} has no room for {} beside the {} before it", gpu, name, others));
    return std::unexpected(done.error().text);
  }
  const auto names = names_of(state);
  const std::string near = nearest(name, names);
  return std::unexpected(fmt::format("GPU {} has no MIG profile {}{}; it has {}", gpu, in_quotes(name),
                                     near.empty() ? "" : fmt::format(" (did you mean {}?)", near),
                                     fmt::join(names, ", ")));
}

// One that fills its GPU instance.
std::expected<void, std::string> fill_instances(Machine& machine, std::uint32_t gpu) {
  const CutState state = read_state(machine, gpu);
  for (std::uint32_t i = 0; i < state.layout.gpu_instances; ++i) {
    const MigLayout::GpuInstance& in = state.layout.gpu_instance[i];
    const MigProfile* kind = state.board.find(in.profile_id);
    for (std::uint32_t number = 0; kind != nullptr && number < kComputeProfiles; ++number) {
      ComputeProfile profile{};
      if (!find_compute_profile(state.board, *kind, number, &profile) || !profile.fills) continue;
      const Change change = make_change(gpu, CreateComputeInstance{in.id, in.serial, number, kAnyStart});
      if (auto done = ask(machine, change, "a compute instance"); !done) return done;
    }
  }
  return {};
}

std::expected<void, std::string> cut_one(Machine& machine, std::uint32_t gpu,
                                         const std::vector<std::string>& profiles) {
  if (auto done = switch_on(machine, gpu); !done) return done;
  const CutState state = read_state(machine, gpu);
  std::size_t others = state.layout.gpu_instances;
  for (const std::string& name : profiles) {
    if (auto done = make_instance(machine, gpu, state, others++, name); !done) return done;
  }
  return fill_instances(machine, gpu);
}

}  // namespace

std::expected<MigLayoutWords, std::string> read_mig_layout(const std::string& word) {
  MigLayoutWords layout;
  std::string_view rest = word;
  if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
    const auto gpu = whole_number(rest.substr(0, colon));
    if (!gpu || *gpu > kMaxGpus)
      return std::unexpected(fmt::format(
          "--mig takes PROFILE,... or GPU:PROFILE,..., such as 0:3g.40gb,3g.40gb, not {}", in_quotes(word)));
    layout.gpu = static_cast<std::uint32_t>(*gpu);
    rest.remove_prefix(colon + 1);
  }
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    if (end > 0) layout.profiles.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (layout.profiles.empty())
    return std::unexpected(fmt::format("--mig needs profiles, such as 3g.40gb,2g.20gb, not {}", in_quotes(word)));
  return layout;
}

std::expected<void, std::string> cut(Machine& machine, const MigLayoutWords& layout) {
  if (layout.gpu) {
    if (*layout.gpu >= machine.gpu_count()) return std::unexpected(no_such_gpu(*layout.gpu, machine.gpu_count()));
    return cut_one(machine, *layout.gpu, layout.profiles);
  }
  for (std::uint32_t gpu = 0; gpu < machine.gpu_count(); ++gpu) {
    if (auto done = cut_one(machine, gpu, layout.profiles); !done) return done;
  }
  return {};
}

}  // namespace nvmlab::control
