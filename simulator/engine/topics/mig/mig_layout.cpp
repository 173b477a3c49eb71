// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/mig/mig_layout.hpp"

#include "engine/topics/mig/compute_profiles.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kEighths = 8;

// What instances have taken.
struct Taken {
  std::uint32_t memory;  // bit N: memory slice N
  std::uint32_t slices;
  std::uint32_t instances;
  std::uint32_t engines[kMigEngines];
  std::uint32_t of_profile[MigBoard::kCapacity];
};

std::uint32_t memory_of(const MigProfile& profile, std::uint32_t start) {
  return ((1u << profile.memory_slices) - 1) << start;
}

void take(const MigBoard& board, Taken& taken, const MigProfile& profile, std::uint32_t start) {
  taken.memory |= memory_of(profile, start);
  taken.slices += profile.slices;
  ++taken.instances;
  for (std::uint32_t i = 0; i < kMigEngines; ++i)
    taken.engines[i] += profile.engines[i];
  ++taken.of_profile[&profile - board.profiles];
}

bool fits(const MigBoard& board, const Taken& taken, const MigProfile& profile, std::uint32_t start) {
  if (!profile.starts_at(start) || (taken.memory & memory_of(profile, start)) != 0) return false;
  if (taken.slices + profile.slices > board.compute_slices || taken.instances == MigLayout::kCapacity) return false;
  if (taken.of_profile[&profile - board.profiles] >= profile.instances) return false;
  for (std::uint32_t i = 0; i < kMigEngines; ++i) {
    if (taken.engines[i] + profile.engines[i] > board.engines[i]) return false;
  }
  return true;
}

Taken taken_by(const MigBoard& board, const MigLayout& layout) {
  Taken taken{};
  for (std::uint32_t i = 0; i < layout.gpu_instances; ++i) {
    const MigProfile* profile = board.find(layout.gpu_instance[i].profile_id);
    if (profile != nullptr) take(board, taken, *profile, layout.gpu_instance[i].start & 31);
  }
  return taken;
}

// Pairs of profile and start that are left.
std::uint32_t ways_on(const MigBoard& board, const Taken& taken) {
  std::uint32_t ways = 0;
  for (const MigProfile& profile : board) {
    for (std::uint32_t start = 0; start < board.memory_slices; ++start)
      ways += fits(board, taken, profile, start) ? 1 : 0;
  }
  return ways;
}

// Among eighths, of which the one that is missing lies last; halves and quarters without it are in their order.
std::uint32_t id_with_missing(std::uint32_t missing, std::uint32_t start, std::uint32_t size) {
  const std::uint32_t half = missing >> 2;
  const std::uint32_t whole_half = half ^ 1;
  const std::uint32_t whole_quarter = (missing >> 1) ^ 1;
  const bool in_whole_half = start < kEighths / 2;
  switch (size) {
    case kEighths:
      return 0;
    case 4:
      return 1 + (in_whole_half ? whole_half : half);
    case 2:
      if (in_whole_half) return 3 + whole_half * 2 + start / 2;
      return 3 + (start == 4 ? whole_quarter : missing >> 1);
    default:
      if (in_whole_half) return 7 + whole_half * 4 + start;
      return 7 + (start < 6 ? whole_quarter * 2 + start - 4 : missing ^ 1);
  }
}

}  // namespace

const MigLayout::GpuInstance* MigLayout::find(std::uint32_t id) const {
  for (std::uint32_t i = 0; i < gpu_instances; ++i) {
    if (gpu_instance[i].id == id) return &gpu_instance[i];
  }
  return nullptr;
}

const MigLayout::ComputeInstance* MigLayout::find(std::uint32_t wanted, std::uint32_t id) const {
  for (std::uint32_t i = 0; i < compute_instances; ++i) {
    if (compute_instance[i].gpu_instance == wanted && compute_instance[i].id == id) return &compute_instance[i];
  }
  return nullptr;
}

MigLayout read_layout(const Instances& instances) {
  MigLayout layout{};
  layout.gpu_instances = length_of(instances.gpu_instances);
  for (std::uint32_t i = 0; i < layout.gpu_instances; ++i) {
    const auto& from = instances.gpu_instances.items[i];
    layout.gpu_instance[i] = {load(from.id).value, load(from.profile_id).value, load(from.start).value,
                              load(from.serial).value};
  }
  layout.compute_instances = length_of(instances.compute_instances);
  for (std::uint32_t i = 0; i < layout.compute_instances; ++i) {
    const auto& from = instances.compute_instances.items[i];
    layout.compute_instance[i] = {load(from.gpu_instance).value, load(from.id).value, load(from.profile_id).value,
                                  load(from.start).value, load(from.serial).value};
  }
  return layout;
}

std::uint32_t gpu_instance_id(const MigBoard& board, std::uint32_t start, std::uint32_t size) {
  if (size == 0 || start % size != 0 || board.memory_slices % size != 0) return kNoPlace;
  const bool eighths = board.memory_slices == kEighths && board.compute_slices < kEighths;
  if (eighths && board.missing_slice - 7 < kEighths) return id_with_missing(board.missing_slice - 7, start, size);
  return board.memory_slices / size - 1 + start / size;
}

bool fits(const MigBoard& board, const MigLayout& layout, const MigProfile& profile, std::uint32_t start) {
  return fits(board, taken_by(board, layout), profile, start);
}

std::uint32_t remaining_capacity(const MigBoard& board, const MigLayout& layout, const MigProfile& profile) {
  Taken taken = taken_by(board, layout);
  std::uint32_t count = 0;
  for (std::uint32_t start = 0; start < board.memory_slices; ++start) {
    if (!fits(board, taken, profile, start)) continue;
    take(board, taken, profile, start);
    ++count;
  }
  return count;
}

std::uint32_t choose_start(const MigBoard& board, const MigLayout& layout, const MigProfile& profile) {
  const Taken taken = taken_by(board, layout);
  std::uint32_t best = kNoPlace;
  std::uint32_t most = 0;
  for (std::uint32_t start = 0; start < board.memory_slices; ++start) {
    if (!fits(board, taken, profile, start)) continue;
    const bool last = start + profile.memory_slices == board.memory_slices;
    if (profile.number == kOneSliceTwiceMemory && last && best != kNoPlace) continue;
    Taken then = taken;
    take(board, then, profile, start);
    const std::uint32_t ways = ways_on(board, then);
    if (best != kNoPlace && ways <= most) continue;
    best = start;
    most = ways;
  }
  return best;
}

bool possible(const MigBoard& board, const MigLayout& layout) {
  Taken taken{};
  for (std::uint32_t i = 0; i < layout.gpu_instances; ++i) {
    const MigLayout::GpuInstance& each = layout.gpu_instance[i];
    const MigProfile* profile = board.find(each.profile_id);
    if (profile == nullptr || !fits(board, taken, *profile, each.start)) return false;
    if (gpu_instance_id(board, each.start, profile->memory_slices) != each.id) return false;
    if (!possible_compute_instances(board, layout, each)) return false;
    take(board, taken, *profile, each.start);
  }
  for (std::uint32_t i = 0; i < layout.compute_instances; ++i) {
    if (layout.find(layout.compute_instance[i].gpu_instance) == nullptr) return false;
  }
  return true;
}

}  // namespace nvmlab
