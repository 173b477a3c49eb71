// SPDX-License-Identifier: Apache-2.0
//
// A kind of vGPU that a board can be lent out as, and where those of one GPU may lie in its frame buffer. Placements
// are told in GiB, which is how NVIDIA's open kernel modules count them: of equal size one behind the other; of unlike
// sizes at the beginnings and ends of halves, quarters and so on, so that the rest stays in one piece.
// Tests: tests/unit/topics/vgpu_type_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/generated/vgpu.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kNoGpuInstanceProfile = ~0U;
inline constexpr std::uint32_t kNoPlacement = 0xFFFF;
// More than any GPU lends out at once: 32 that share its time, or one for each GPU instance.
inline constexpr std::uint32_t kMaxVgpusOfGpu = 48;

// NVML_VGPU_CAP_*, one bit each.
inline constexpr std::uint32_t kVgpuExclusiveSize = 1U << 4;

struct VgpuType {
  std::uint32_t id;
  std::uint32_t device_id;
  std::uint32_t subsystem_id;
  std::uint32_t max_instances;
  std::uint32_t max_per_vm;
  std::uint32_t display_heads;
  std::uint32_t max_width;
  std::uint32_t max_height;
  std::uint32_t frame_rate_limit;
  std::uint32_t gpu_instance_profile;
  std::uint32_t capabilities;
  std::uint64_t fb_bytes;
  char name[64];
  char vgpu_class[32];
  char license[128];

  bool backed_by_mig() const { return gpu_instance_profile != kNoGpuInstanceProfile; }
  // One has a GPU instance to itself; types that share time need none.
  std::uint32_t max_per_gpu_instance() const { return backed_by_mig() ? 1 : 0; }
  // vgpuConfig.xml of 510 has 4 GiB for the compute series, 256 MiB for all others.
  std::uint32_t bar1_mib() const { return __builtin_strcmp(vgpu_class, "Compute") == 0 ? 4096 : 256; }
  // What the host keeps of it: as vgpuConfig.xml of 510 has it, 64 MiB, and as much again for each GiB.
  std::uint64_t reserved_bytes() const { return ((fb_bytes >> 30) + 1) << 26; }
  // Slots of the frame buffer that it takes; one in a GPU instance takes none.
  std::uint32_t placement_size() const { return backed_by_mig() ? 0 : static_cast<std::uint32_t>(fb_bytes >> 30); }
};

// Several types whose numbers follow one another.
struct VgpuTypeRun {
  std::uint16_t first_id;
  std::uint16_t first_subsystem;
  char series[4];  // what stands behind the size in their names
  char sizes[32];  // GiB, with the slices of the GPU instance before it: "4 8 16", "1-5"
};

inline constexpr std::uint32_t kMaxVgpuTypeRuns = 8;

// Without pointers, as is each table of the driver: what points somewhere is written when a library is loaded.
struct VgpuBoard {
  std::uint32_t device_id;
  std::uint32_t subsystem;  // of boards that share a device id; 0: any
  std::uint32_t gib;
  bool sriov;  // Ampere and later: virtual functions, and vGPUs of unlike sizes
  char family[24];
  std::uint32_t run_count;
  VgpuTypeRun runs[kMaxVgpuTypeRuns];
};

// The board of these ids, as pci.device_id and pci.subsystem_id tell them; null where nothing is published of it.
const VgpuBoard* find_vgpu_board(std::uint32_t device_id, std::uint32_t subsystem_id);

// Type number `index` of the board, in the order of its table; false behind the last one.
bool vgpu_type_at(const VgpuBoard& board, std::uint32_t index, VgpuType* out);

// A type that a profile lists.
VgpuType listed_vgpu_type(const Vgpu::Type& row);

struct Placements {
  std::uint32_t count = 0;
  std::uint32_t ids[kMaxVgpusOfGpu] = {};

  void add(std::uint32_t id) {
    if (count < kMaxVgpusOfGpu) ids[count++] = id;
  }
};

// Where vGPUs of the type may lie in a frame buffer of `gib` slots when it is empty.
Placements supported_placements(const VgpuType& type, std::uint32_t gib, bool heterogeneous);

}  // namespace nvmlab
