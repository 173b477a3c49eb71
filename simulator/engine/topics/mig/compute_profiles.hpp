// SPDX-License-Identifier: Apache-2.0
//
// What a GPU instance can be cut into. Compute instances share its memory and its engines; multiprocessors alone are
// theirs, so many for each slice, and all there are for one that fills the GPU instance. A slice with the memory of two
// has more multiprocessors than other slices: of its two profiles, one is a slice like any other (tools make that one),
// the other fills it. Tests: tests/unit/mig/.
#pragma once

#include "engine/topics/mig/mig_layout.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kComputeProfiles = 9;  // COMPUTE_INSTANCE_PROFILE_COUNT

struct ComputeProfile {
  std::uint32_t number;  // COMPUTE_INSTANCE_PROFILE_*, which is its id as well
  std::uint32_t slices;
  std::uint32_t instances;
  std::uint32_t starts;  // bit N: one can start at compute slice N
  std::uint32_t multiprocessors;
  bool fills;  // has all there are, so that no other compute instance fits beside it

  bool starts_at(std::uint32_t start) const { return start < 32 && (starts >> start & 1) != 0; }
};

// False where a GPU instance of the kind cannot be cut so.
bool find_compute_profile(const MigBoard& board, const MigProfile& of, std::uint32_t number, ComputeProfile* found);

// How many more fit into the GPU instance, and where the next one goes: the lowest place; kNoPlace: nowhere.
std::uint32_t remaining_compute_capacity(const MigBoard& board, const MigLayout& layout,
                                         const MigLayout::GpuInstance& in, const ComputeProfile& profile);
std::uint32_t choose_compute_start(const MigBoard& board, const MigLayout& layout, const MigLayout::GpuInstance& in,
                                   const ComputeProfile& profile);
bool compute_fits(const MigBoard& board, const MigLayout& layout, const MigLayout::GpuInstance& in,
                  const ComputeProfile& profile, std::uint32_t start);

// The lowest number that no compute instance of the GPU instance has.
std::uint32_t free_compute_id(const MigLayout& layout, std::uint32_t gpu_instance);

bool possible_compute_instances(const MigBoard& board, const MigLayout& layout, const MigLayout::GpuInstance& in);

}  // namespace nvmlab
