// SPDX-License-Identifier: Apache-2.0
//
// MIG as it is asked of a GPU: its mode, what it can be cut into and where, and the GPU instances that there are.
// Making and listing them takes root or a capability. Tests: tests/drivers/functions/mig_test.cpp,
// mig_instances_test.cpp, mig_capabilities_test.cpp.
#include "drivers/nvml/hooks/mig.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

nvmlReturn_t create(const Device& gpu, const CreateGpuInstance& change, nvmlGpuInstance_t* made) {
  MigState state{};
  read_mig_state(gpu.store, gpu.slot, &state);
  if (state.on && find_profile(state, change.profile_id) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const Applied applied = change_instances(gpu, change);
  if (applied.code == kSuccess) *made = gpu_instance_handle(state, applied.created.serial);
  return static_cast<nvmlReturn_t>(applied.code);
}

}  // namespace

Applied change_instances(const Device& gpu, const Change& change) {
  MachineAccess machine{gpu.store, process.file, may(Role::mig_config)};
  Applied applied = nvmlab::apply(machine, change);
  // Another process has destroyed the instance since the caller found it by its handle.
  if (applied.code == kNotFound) applied.code = kInvalidArgument;
  return applied;
}

namespace hooks {

// Without an array the count is asked for; an array has room for all, which the number of instances tells.
nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements_v2(const Device& gpu, unsigned int profileId,
                                                           nvmlGpuInstancePlacement_t* placements,
                                                           unsigned int* count) {
  MigState state{};
  read_mig_state(gpu.store, gpu.slot, &state);
  const MigProfile* profile = find_profile(state, profileId);
  if (profile == nullptr) return NVML_ERROR_NOT_SUPPORTED;
  if (const nvmlReturn_t code = may_see_layout(); code != NVML_SUCCESS) return code;
  std::uint32_t given = 0;
  for (std::uint32_t start = 0; start < 32; ++start) {
    if (!profile->starts_at(start)) continue;
    if (placements != nullptr) placements[given] = {start, profile->memory_slices};
    ++given;
  }
  *count = given;
  return NVML_SUCCESS;
}

// What stands in the way of a wish that was noted: who uses the GPU, or that the driver cannot reset it.
nvmlReturn_t nvmlDeviceSetMigMode(const Device& gpu, unsigned int mode, nvmlReturn_t* activationStatus) {
  const nvmlReturn_t code = apply(gpu, SetMigMode{mode});
  if (code != NVML_SUCCESS) return code;
  *activationStatus = consistent(gpu.slot, [mode](const Gpu& state) {
    if (load(state.modes.mig).value_or(0) == mode) return NVML_SUCCESS;
    const bool in_use = length_of(state.processes.running) > 0 || length_of(state.instances.gpu_instances) > 0;
    return in_use ? NVML_ERROR_IN_USE : NVML_ERROR_RESET_REQUIRED;
  });
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceCreateGpuInstance(const Device& gpu, unsigned int profileId, nvmlGpuInstance_t* gpuInstance) {
  return create(gpu, {profileId, kAnyStart, 0}, gpuInstance);
}

nvmlReturn_t nvmlDeviceCreateGpuInstanceWithPlacement(const Device& gpu, unsigned int profileId,
                                                      const nvmlGpuInstancePlacement_t* placement,
                                                      nvmlGpuInstance_t* gpuInstance) {
  if (placement->start == kAnyStart) return NVML_ERROR_INVALID_ARGUMENT;
  return create(gpu, {profileId, placement->start, placement->size}, gpuInstance);
}

nvmlReturn_t nvmlDeviceGetGpuInstances(const Device& gpu, unsigned int profileId, nvmlGpuInstance_t* gpuInstances,
                                       unsigned int* count) {
  MigState state{};
  read_mig_state(gpu.store, gpu.slot, &state);
  if (const nvmlReturn_t code = may_list(state); code != NVML_SUCCESS) return code;
  if (find_profile(state, profileId) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *count = 0;
  for (std::uint32_t i = 0; i < state.layout.gpu_instances; ++i) {
    const MigGpuInstance& each = state.layout.gpu_instance[i];
    if (each.profile_id == profileId) gpuInstances[(*count)++] = handle_of(state, each);
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
