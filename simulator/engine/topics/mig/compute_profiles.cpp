// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/mig/compute_profiles.hpp"

namespace nvmlab {
namespace {

// By number.
constexpr std::uint32_t kSlices[kComputeProfiles] = {1, 2, 3, 4, 7, 8, 6, 1, 7};
constexpr std::uint32_t kOneOfTwiceMemory = 7;  // COMPUTE_INSTANCE_PROFILE_1_SLICE_REV1
constexpr std::uint32_t kSevenWithNvlink = 8;   // COMPUTE_INSTANCE_PROFILE_7_SLICE_NVL

// Three slices of a larger instance exist where they stand beside four.
bool divides(std::uint32_t slices, std::uint32_t of) {
  if (slices == of) return true;
  if (slices > of || slices > 4) return false;
  return slices < 3 || of >= 7;
}

std::uint32_t starts_of(std::uint32_t slices, std::uint32_t of) {
  const std::uint32_t step = slices == 3 ? 4 : slices;
  std::uint32_t starts = 0;
  for (std::uint32_t start = 0; start + slices <= of; start += step)
    starts |= 1u << start;
  return starts;
}

// Without the helper of the compiler's runtime, which the driver does not link.
std::uint32_t count_of(std::uint32_t bits) {
  std::uint32_t count = 0;
  for (; bits != 0; bits &= bits - 1)
    ++count;
  return count;
}

std::uint32_t slices_taken(const MigBoard& board, const MigLayout& layout, const MigLayout::GpuInstance& in) {
  const MigProfile* kind = board.find(in.profile_id);
  std::uint32_t taken = 0;
  for (std::uint32_t i = 0; kind != nullptr && i < layout.compute_instances; ++i) {
    const MigLayout::ComputeInstance& each = layout.compute_instance[i];
    ComputeProfile profile{};
    if (each.gpu_instance != in.id || !find_compute_profile(board, *kind, each.profile, &profile)) continue;
    taken |= ((1u << profile.slices) - 1) << (each.start & 15);
  }
  return taken;
}

std::uint32_t multiprocessors_of_slice(const MigBoard& board) {
  for (const MigProfile& each : board) {
    if (each.number == kOneSlice) return each.multiprocessors;
  }
  return 0;
}

bool is_free(std::uint32_t taken, const ComputeProfile& profile, std::uint32_t start) {
  return start < 16 && (profile.starts >> start & 1) != 0 && (taken & ((1u << profile.slices) - 1) << start) == 0;
}

}  // namespace

bool find_compute_profile(const MigBoard& board, const MigProfile& of, std::uint32_t number, ComputeProfile* found) {
  if (number >= kComputeProfiles || number == kSevenWithNvlink) return false;
  const bool twice_memory = of.number == kOneSliceTwiceMemory;
  if (number == kOneOfTwiceMemory && !twice_memory) return false;
  const std::uint32_t slices = kSlices[number];
  if (!divides(slices, of.slices)) return false;
  const std::uint32_t starts = starts_of(slices, of.slices);
  const bool fills = slices == of.slices && (number == kOneOfTwiceMemory || !twice_memory);
  *found = {
      number, slices, count_of(starts), starts, fills ? of.multiprocessors : slices * multiprocessors_of_slice(board),
      fills};
  return true;
}

bool compute_fits(const MigBoard& board, const MigLayout& layout, const MigLayout::GpuInstance& in,
                  const ComputeProfile& profile, std::uint32_t start) {
  return layout.compute_instances < MigLayout::kCapacity && is_free(slices_taken(board, layout, in), profile, start);
}

std::uint32_t remaining_compute_capacity(const MigBoard& board, const MigLayout& layout,
                                         const MigLayout::GpuInstance& in, const ComputeProfile& profile) {
  const std::uint32_t taken = slices_taken(board, layout, in);
  const std::uint32_t room = MigLayout::kCapacity - layout.compute_instances;
  std::uint32_t count = 0;
  for (std::uint32_t start = 0; start < 16 && count < room; ++start)
    count += is_free(taken, profile, start) ? 1 : 0;  // places of one profile do not overlap
  return count;
}

std::uint32_t choose_compute_start(const MigBoard& board, const MigLayout& layout, const MigLayout::GpuInstance& in,
                                   const ComputeProfile& profile) {
  for (std::uint32_t start = 0; start < 16; ++start) {
    if (compute_fits(board, layout, in, profile, start)) return start;
  }
  return kNoPlace;
}

std::uint32_t free_compute_id(const MigLayout& layout, std::uint32_t gpu_instance) {
  std::uint32_t id = 0;
  while (layout.find(gpu_instance, id) != nullptr)
    ++id;
  return id;
}

bool possible_compute_instances(const MigBoard& board, const MigLayout& layout, const MigLayout::GpuInstance& in) {
  const MigProfile* kind = board.find(in.profile_id);
  if (kind == nullptr) return false;
  std::uint32_t taken = 0;
  for (std::uint32_t i = 0; i < layout.compute_instances; ++i) {
    const MigLayout::ComputeInstance& each = layout.compute_instance[i];
    if (each.gpu_instance != in.id) continue;
    ComputeProfile profile{};
    if (!find_compute_profile(board, *kind, each.profile, &profile) || !is_free(taken, profile, each.start))
      return false;
    taken |= ((1u << profile.slices) - 1) << each.start;
  }
  return true;
}

}  // namespace nvmlab
