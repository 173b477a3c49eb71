// SPDX-License-Identifier: Apache-2.0
// Where vGPUs can be placed, and whether one can move. Covered by tests/binding/vgpu_lists_test.cpp.
#pragma once

#include <span>
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

/// The same, in memory of the caller's.
struct VgpuPlacementsView {
  unsigned size{};            ///< how many places one takes
  std::span<unsigned> ids{};  ///< at which one can begin
};

namespace detail {

// C: nvmlDeviceGetVgpuTypeSupportedPlacements. Homogeneous placement is asked for where all vGPUs of the GPU are of
// this type.
Result<VgpuPlacements> supported_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                            bool homogeneous);

// C: nvmlDeviceGetVgpuTypeSupportedPlacements. Into the caller's memory, of which the filled part comes back; too
// little is INSUFFICIENT_SIZE.
Result<VgpuPlacementsView> supported_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                                bool homogeneous, std::span<unsigned> room);

// C: nvmlDeviceGetVgpuTypeCreatablePlacements. Homogeneous placement is asked for where all vGPUs of the GPU are of
// this type.
Result<VgpuPlacements> creatable_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                            bool homogeneous);

// C: nvmlDeviceGetVgpuTypeCreatablePlacements. Into the caller's memory, of which the filled part comes back; too
// little is INSUFFICIENT_SIZE.
Result<VgpuPlacementsView> creatable_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                                bool homogeneous, std::span<unsigned> room);

// C: nvmlGpuInstanceGetVgpuTypeCreatablePlacements
Result<VgpuPlacements> creatable_placements(const State& state, abi::nvmlGpuInstance_t instance, const VgpuType& type);

// C: nvmlGpuInstanceGetVgpuTypeCreatablePlacements. Into the caller's memory, of which the filled part comes back; too
// little is INSUFFICIENT_SIZE.
Result<VgpuPlacementsView> creatable_placements(const State& state, abi::nvmlGpuInstance_t instance,
                                                const VgpuType& type, std::span<unsigned> room);

// C: nvmlGetVgpuCompatibility
Result<VgpuPgpuCompatibility> vgpu_compatibility(const State& state, const VgpuMetadata& vgpu,
                                                 const VgpuPgpuMetadata& gpu);

}  // namespace detail

}  // namespace nvml::inline v1
