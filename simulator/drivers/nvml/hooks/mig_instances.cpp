// SPDX-License-Identifier: Apache-2.0
//
// GPU instances and compute instances by their handles: where those in a GPU instance can lie and which there are, and
// how they are made and destroyed. All of it takes root or a capability, since without it nobody gets a handle. Tests:
// tests/drivers/functions/mig_instances_test.cpp, mig_capabilities_test.cpp.
#include <cstring>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/mig.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

nvmlReturn_t create(Store& store, nvmlGpuInstance_t handle, std::uint32_t profile, std::uint32_t start,
                    nvmlComputeInstance_t* made) {
  Cut cut{};
  nvmlReturn_t code = find_cut(store, handle, &cut);
  if (code != NVML_SUCCESS) return code;
  const Device gpu = device_of(store, cut.state);
  const WriteLock lock(&process.file);
  code = apply_under(lock, gpu, CreateComputeInstance{cut.in->id, cut.in->serial, profile, start});
  if (code != NVML_SUCCESS) return code;
  read_mig_state(store, gpu.slot, &cut.state);
  const std::uint32_t serial = read_field(gpu.slot, &Gpu::instances, &Instances::last_serial).value;
  for (std::uint32_t i = 0; i < cut.state.layout.compute_instances; ++i) {
    const MigComputeInstance& each = cut.state.layout.compute_instance[i];
    if (each.serial == serial) *made = handle_of(cut.state, each);
  }
  return NVML_SUCCESS;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlGpuInstanceDestroy(Store& node, nvmlGpuInstance_t gpuInstance) {
  MigState state{};
  const MigGpuInstance* instance = nullptr;
  const nvmlReturn_t code = find_instance(node, gpuInstance, &state, &instance);
  if (code != NVML_SUCCESS) return code;
  const WriteLock lock(&process.file);
  return apply_under(lock, device_of(node, state), DestroyGpuInstance{instance->id, instance->serial});
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
    if ((profile.starts >> start & 1) == 0) continue;
    if (placements != nullptr) placements[given] = {start, profile.slices};
    ++given;
  }
  *count = given;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceCreateComputeInstance(Store& node, nvmlGpuInstance_t gpuInstance, unsigned int profileId,
                                                  nvmlComputeInstance_t* computeInstance) {
  return create(node, gpuInstance, profileId, kAnyStart, computeInstance);
}

nvmlReturn_t nvmlGpuInstanceCreateComputeInstanceWithPlacement(Store& node, nvmlGpuInstance_t gpuInstance,
                                                               unsigned int profileId,
                                                               const nvmlComputeInstancePlacement_t* placement,
                                                               nvmlComputeInstance_t* computeInstance) {
  Cut cut{};
  const nvmlReturn_t code = find_cut(node, gpuInstance, &cut);
  if (code != NVML_SUCCESS) return code;
  ComputeProfile profile{};
  if (!find_compute_profile(cut.state.board, *cut.kind, profileId, &profile)) return NVML_ERROR_INVALID_ARGUMENT;
  if (placement->start == kAnyStart || placement->size != profile.slices) return NVML_ERROR_INVALID_ARGUMENT;
  return create(node, gpuInstance, profileId, placement->start, computeInstance);
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
  const WriteLock lock(&process.file);
  return apply_under(lock, device_of(node, state),
                     DestroyComputeInstance{instance->gpu_instance, instance->id, instance->serial});
}

}  // namespace hooks
}  // namespace nvmlab::driver
