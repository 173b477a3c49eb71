// SPDX-License-Identifier: Apache-2.0
//
// GPU instances and compute instances by their handles: where those in a GPU instance can lie and which there are, and
// how they are made and destroyed. All of it takes root or a capability, since without it nobody gets a handle. Tests:
// tests/drivers/functions/mig_instances_test.cpp, mig_capabilities_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/mig.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// `placement` is null for a compute instance anywhere in the GPU instance.
nvmlReturn_t create(Store& store, nvmlGpuInstance_t handle, std::uint32_t profile,
                    const nvmlComputeInstancePlacement_t* placement, nvmlComputeInstance_t* made) {
  Cut cut{};
  if (const nvmlReturn_t code = find_cut(store, handle, &cut); code != NVML_SUCCESS) return code;
  CreateComputeInstance change{cut.in->id, cut.in->serial, profile, kAnyStart};
  if (placement != nullptr) {
    if (placement->start == kAnyStart) return NVML_ERROR_INVALID_ARGUMENT;
    change.start = placement->start;
    change.slices = placement->size;
  }
  const Applied applied = change_instances(device_of(store, cut.state), change);
  if (applied.code == kSuccess) *made = compute_instance_handle(cut.state, applied.created.serial);
  return static_cast<nvmlReturn_t>(applied.code);
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlGpuInstanceDestroy(Store& node, nvmlGpuInstance_t gpuInstance) {
  MigState state{};
  const MigGpuInstance* instance = nullptr;
  const nvmlReturn_t code = find_instance(node, gpuInstance, &state, &instance);
  if (code != NVML_SUCCESS) return code;
  const DestroyGpuInstance change{instance->id, instance->serial};
  return static_cast<nvmlReturn_t>(change_instances(device_of(node, state), change).code);
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstancePossiblePlacements(Store& node, nvmlGpuInstance_t gpuInstance,
                                                                 unsigned int profileId,
                                                                 nvmlComputeInstancePlacement_t* placements,
                                                                 unsigned int* count) {
  Cut cut{};
  nvmlReturn_t code = find_cut(node, gpuInstance, &cut);
  if (code != NVML_SUCCESS) return code;
  ComputeProfile profile{};
  if (code = find_profile_of(cut, profileId, &profile); code != NVML_SUCCESS) return code;
  if (code = may_see_layout(); code != NVML_SUCCESS) return code;
  std::uint32_t given = 0;
  for (std::uint32_t start = 0; start < 32; ++start) {
    if (!profile.starts_at(start)) continue;
    if (placements != nullptr) placements[given] = {start, profile.slices};
    ++given;
  }
  *count = given;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceCreateComputeInstance(Store& node, nvmlGpuInstance_t gpuInstance, unsigned int profileId,
                                                  nvmlComputeInstance_t* computeInstance) {
  return create(node, gpuInstance, profileId, nullptr, computeInstance);
}

nvmlReturn_t nvmlGpuInstanceCreateComputeInstanceWithPlacement(Store& node, nvmlGpuInstance_t gpuInstance,
                                                               unsigned int profileId,
                                                               const nvmlComputeInstancePlacement_t* placement,
                                                               nvmlComputeInstance_t* computeInstance) {
  return create(node, gpuInstance, profileId, placement, computeInstance);
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstances(Store& node, nvmlGpuInstance_t gpuInstance, unsigned int profileId,
                                                nvmlComputeInstance_t* computeInstances, unsigned int* count) {
  Cut cut{};
  nvmlReturn_t code = find_cut(node, gpuInstance, &cut);
  if (code != NVML_SUCCESS) return code;
  if (profileId >= kComputeProfiles) return NVML_ERROR_INVALID_ARGUMENT;
  if (code = may_see_layout(); code != NVML_SUCCESS) return code;
  *count = 0;
  for (std::uint32_t i = 0; i < cut.state.layout.compute_instances; ++i) {
    const MigComputeInstance& each = cut.state.layout.compute_instance[i];
    if (each.gpu_instance == cut.in->id && each.profile == profileId)
      computeInstances[(*count)++] = handle_of(cut.state, each);
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlComputeInstanceDestroy(Store& node, nvmlComputeInstance_t computeInstance) {
  MigState state{};
  const MigComputeInstance* instance = nullptr;
  const nvmlReturn_t code = find_instance(node, computeInstance, &state, &instance);
  if (code != NVML_SUCCESS) return code;
  const DestroyComputeInstance change{instance->gpu_instance, instance->id, instance->serial};
  return static_cast<nvmlReturn_t>(change_instances(device_of(node, state), change).code);
}

}  // namespace hooks
}  // namespace nvmlab::driver
