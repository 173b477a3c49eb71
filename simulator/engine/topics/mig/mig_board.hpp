// SPDX-License-Identifier: Apache-2.0
//
// What a board can be cut into, as few numbers as its rules need: the table of its profiles (the field mig.profiles)
// without what only callers want to know. Tests: tests/unit/mig/.
#pragma once

#include "engine/state/generated/state.hpp"
#include "engine/store/words.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kMigEngines = 4;  // decoders, encoders, JPEG engines, optical flow

// A profile of GPU instances.
struct MigProfile {
  std::uint32_t id;
  std::uint32_t number;  // NVML_GPU_INSTANCE_PROFILE_*
  std::uint32_t slices;  // compute slices
  std::uint32_t instances;
  std::uint32_t memory_slices;
  std::uint32_t starts;  // bit N: one can start at memory slice N
  std::uint32_t multiprocessors;
  std::uint32_t engines[kMigEngines];

  bool starts_at(std::uint32_t start) const { return start < 32 && (starts >> start & 1) != 0; }
};

struct MigBoard {
  static constexpr std::uint32_t kCapacity = decltype(Mig::profiles)::capacity;

  std::uint32_t count;
  std::uint32_t memory_slices;   // of the whole chip
  std::uint32_t compute_slices;  // likewise
  std::uint32_t missing_slice;   // id of the eighth that is not there
  std::uint32_t engines[kMigEngines];
  MigProfile profiles[kCapacity];

  const MigProfile* begin() const { return profiles; }
  const MigProfile* end() const { return profiles + count; }
  const MigProfile* find(std::uint32_t id) const {
    for (const MigProfile& each : *this) {
      if (each.id == id) return &each;
    }
    return nullptr;
  }
};

inline constexpr std::uint32_t kMissingSlice = 14;        // where nothing is said
inline constexpr std::uint32_t kOneSlice = 0;             // NVML_GPU_INSTANCE_PROFILE_1_SLICE
inline constexpr std::uint32_t kOneSliceTwiceMemory = 9;  // NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV2

// Of a state that others may be writing; within consistent(). What no profile says of the chip, as many of one kind as
// fit do.
MigBoard read_board(const Mig& mig);

}  // namespace nvmlab
