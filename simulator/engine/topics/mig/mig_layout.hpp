// SPDX-License-Identifier: Apache-2.0
//
// Where GPU instances lie and where another one fits. An id is a position in a tree: 0 the whole chip, 1 and 2 its
// halves, 3 to 6 quarters, 7 to 14 eighths. Chips with seven compute slices lack one eighth, a different one from chip
// to chip; memory slices are counted such that the missing one is always the last, so the same placement has different
// ids on two chips. Tests: tests/unit/mig/.
#pragma once

#include "engine/topics/mig/mig_board.hpp"

namespace nvmlab {

struct MigLayout {
  static constexpr std::uint32_t kCapacity = decltype(Instances::gpu_instances)::capacity;

  struct GpuInstance {
    std::uint32_t id;
    std::uint32_t profile_id;
    std::uint32_t start;
    std::uint32_t serial;
  };
  // In the order of their MIG devices: by GPU instance and then by number.
  struct ComputeInstance {
    std::uint32_t gpu_instance;
    std::uint32_t id;
    std::uint32_t profile;
    std::uint32_t start;
    std::uint32_t serial;
  };

  std::uint32_t gpu_instances;
  std::uint32_t compute_instances;
  GpuInstance gpu_instance[kCapacity];
  ComputeInstance compute_instance[kCapacity];

  const GpuInstance* find(std::uint32_t id) const;
  const ComputeInstance* find(std::uint32_t gpu_instance, std::uint32_t id) const;
};

// Of a state that others may be writing; within consistent().
MigLayout read_layout(const Instances& instances);

inline constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

// The id of an instance that starts there, on this chip; kNoPlace where no instance of the size can.
std::uint32_t gpu_instance_id(const MigBoard& board, std::uint32_t start, std::uint32_t memory_slices);

// Whether one more of the kind fits: memory slices that nobody has, and compute slices and media engines left.
bool fits(const MigBoard& board, const MigLayout& layout, const MigProfile& profile, std::uint32_t start);

// How many more of the kind fit.
std::uint32_t remaining_capacity(const MigBoard& board, const MigLayout& layout, const MigProfile& profile);

// Where the driver puts one: where most ways to go on are left, at the lowest of several such places, and with twice
// the memory of its slice at the end of the chip last of all. kNoPlace: nowhere. It gives 20 of 20 published sequences.
std::uint32_t choose_start(const MigBoard& board, const MigLayout& layout, const MigProfile& profile);

// Whether the instances could have been made on this board, one after the other.
bool possible(const MigBoard& board, const MigLayout& layout);

}  // namespace nvmlab
