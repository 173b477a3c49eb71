// SPDX-License-Identifier: Apache-2.0
// Where vGPUs can be placed, and whether one can move. Covered by tests/binding/vgpu_lists_test.cpp.
#pragma once

#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/generated/values_vgpu.hpp"
#include "nvmlab/nvml/values/vgpu_metadata.hpp"

namespace nvml {

// Places of the GPU's memory at which a vGPU of a type can begin.
struct VgpuPlacements {
  unsigned size{};  // how many places one takes
  std::vector<unsigned> ids{};
  bool operator==(const VgpuPlacements&) const = default;
};

namespace detail {

// Of both functions that take a list like this.
using PlacementsSlot = abi::nvmlDeviceGetVgpuTypeSupportedPlacements_fn* Functions::*;

Result<VgpuPlacements> vgpu_placements(const State& state, PlacementsSlot slot, abi::nvmlDevice_t device,
                                       abi::nvmlVgpuTypeId_t type, bool homogeneous);
Result<VgpuPlacements> vgpu_placements(const State& state, abi::nvmlGpuInstance_t instance, abi::nvmlVgpuTypeId_t type);

Result<VgpuPgpuCompatibility> vgpu_compatibility(const State& state, const VgpuMetadata& vgpu,
                                                 const VgpuPgpuMetadata& gpu);

}  // namespace detail

}  // namespace nvml
