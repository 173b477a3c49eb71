// SPDX-License-Identifier: Apache-2.0
// Where vGPUs can be placed, and whether one can move. Covered by tests/binding/vgpu_lists_test.cpp.
#pragma once

#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/forward.hpp"
#include "nvmlab/nvml/generated/values_vgpu.hpp"
#include "nvmlab/nvml/values/vgpu_metadata.hpp"

namespace nvml::inline v1 {

/// Places of the GPU's memory at which a vGPU of a type can begin.
struct VgpuPlacements {
  unsigned size{};              ///< how many places one takes
  std::vector<unsigned> ids{};  ///< at which one can begin
  bool operator==(const VgpuPlacements&) const = default;
};

namespace detail {

// C: nvmlDeviceGetVgpuTypeSupportedPlacements. Homogeneous placement is asked for where all vGPUs of the GPU are of
// this type.
Result<VgpuPlacements> supported_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                            bool homogeneous);

// C: nvmlDeviceGetVgpuTypeCreatablePlacements. Homogeneous placement is asked for where all vGPUs of the GPU are of
// this type.
Result<VgpuPlacements> creatable_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                            bool homogeneous);

// C: nvmlGpuInstanceGetVgpuTypeCreatablePlacements
Result<VgpuPlacements> creatable_placements(const State& state, abi::nvmlGpuInstance_t instance, const VgpuType& type);

// C: nvmlGetVgpuCompatibility
Result<VgpuPgpuCompatibility> vgpu_compatibility(const State& state, const VgpuMetadata& vgpu,
                                                 const VgpuPgpuMetadata& gpu);

}  // namespace detail

}  // namespace nvml::inline v1
