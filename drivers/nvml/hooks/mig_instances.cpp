// SPDX-License-Identifier: Apache-2.0
//
// GPU instances and compute instances by their handles: what they are, what a GPU instance can be cut into, and how
// they are made and destroyed. All of it takes root or a capability, since without it nobody gets a handle. Tests:
// tests/drivers/functions/mig_instances_test.cpp, mig_capabilities_test.cpp.
#include <cstring>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/mig.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// A GPU instance that a handle names, and how it can be cut.
struct Cut {
  MigState state;
  const MigGpuInstance* in;
  const MigProfile* kind;
};

nvmlReturn_t find_cut(const Store& store, nvmlGpuInstance_t handle, Cut* cut) {
  const nvmlReturn_t code = find_instance(store, handle, &cut->state, &cut->in);
  if (code != NVML_SUCCESS) return code;
  cut->kind = cut->state.board.find(cut->in->profile_id);
  return cut->kind == nullptr ? NVML_ERROR_UNKNOWN : NVML_SUCCESS;
}

nvmlReturn_t find_profile_of(const Cut& cut, std::uint32_t number, ComputeProfile* profile) {
  if (number >= kComputeProfiles) return NVML_ERROR_INVALID_ARGUMENT;
  return find_compute_profile(cut.state.board, *cut.kind, number, profile) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t describe(Store& store, nvmlGpuInstance_t handle, std::uint32_t number, std::uint32_t engines,
                      nvmlComputeInstanceProfileInfo_v3_t* info) {
  Cut cut{};
  nvmlReturn_t code = find_cut(store, handle, &cut);
  if (code != NVML_SUCCESS) return code;
  if (engines >= static_cast<std::uint32_t>(COMPUTE_INSTANCE_ENGINE_PROFILE_COUNT)) return NVML_ERROR_INVALID_ARGUMENT;
  ComputeProfile profile{};
  if (code = find_profile_of(cut, number, &profile); code != NVML_SUCCESS) return code;
  if (code = may_see_layout(); code != NVML_SUCCESS) return code;
  const MigProfileFacts facts = facts_of(*cut.state.slot, cut.in->profile_id);
  info->id = profile.number;
  info->sliceCount = profile.slices;
  info->instanceCount = profile.instances;
  info->multiprocessorCount = profile.multiprocessors;
  info->sharedCopyEngineCount = facts.copy_engines;
  info->sharedDecoderCount = cut.kind->engines[0];
  info->sharedEncoderCount = cut.kind->engines[1];
  info->sharedJpegCount = cut.kind->engines[2];
  info->sharedOfaCount = cut.kind->engines[3];
  const MigName name = name_of(facts.name, profile.slices, cut.kind->slices);
  std::memcpy(info->name, "MIG ", 4);
  std::memcpy(info->name + 4, name.text, sizeof info->name - 4);
  info->name[sizeof info->name - 1] = '\0';
  info->capabilities = facts.graphics ? COMPUTE_INSTANCE_PROFILE_CAPS_GFX : 0;  // engines are shared, this one too
  return NVML_SUCCESS;
}

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

std::uint32_t slices_of(const MigState& state, const MigGpuInstance& in, std::uint32_t number) {
  const MigProfile* kind = state.board.find(in.profile_id);
  ComputeProfile profile{};
  return kind != nullptr && find_compute_profile(state.board, *kind, number, &profile) ? profile.slices : 0;
}

nvmlReturn_t describe(Store& store, nvmlComputeInstance_t handle, nvmlComputeInstanceInfo_t* info) {
  MigState state{};
  const MigComputeInstance* instance = nullptr;
  nvmlReturn_t code = find_instance(store, handle, &state, &instance);
  if (code != NVML_SUCCESS) return code;
  if (code = may_see_layout(); code != NVML_SUCCESS) return code;
  const MigGpuInstance* in = state.layout.find(instance->gpu_instance);
  if (in == nullptr) return NVML_ERROR_UNKNOWN;
  *info = {reinterpret_cast<nvmlDevice_t>(handle_of(*state.slot)),
           handle_of(state, *in),
           instance->id,
           instance->profile,
           {instance->start, slices_of(state, *in, instance->profile)}};
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

nvmlReturn_t nvmlGpuInstanceGetInfo(Store& node, nvmlGpuInstance_t gpuInstance, nvmlGpuInstanceInfo_t* info) {
  Cut cut{};
  nvmlReturn_t code = find_cut(node, gpuInstance, &cut);
  if (code != NVML_SUCCESS) return code;
  if (code = may_see_layout(); code != NVML_SUCCESS) return code;
  *info = {reinterpret_cast<nvmlDevice_t>(handle_of(*cut.state.slot)),
           cut.in->id,
           cut.in->profile_id,
           {cut.in->start, cut.kind->memory_slices}};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfo(Store& node, nvmlGpuInstance_t gpuInstance,
                                                          unsigned int profile, unsigned int engProfile,
                                                          nvmlComputeInstanceProfileInfo_t* info) {
  nvmlComputeInstanceProfileInfo_v3_t all{};
  const nvmlReturn_t code = describe(node, gpuInstance, profile, engProfile, &all);
  if (code != NVML_SUCCESS) return code;
  *info = {all.id,
           all.sliceCount,
           all.instanceCount,
           all.multiprocessorCount,
           all.sharedCopyEngineCount,
           all.sharedDecoderCount,
           all.sharedEncoderCount,
           all.sharedJpegCount,
           all.sharedOfaCount};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfoV(Store& node, nvmlGpuInstance_t gpuInstance,
                                                           unsigned int profile, unsigned int engProfile,
                                                           nvmlComputeInstanceProfileInfo_v3_t* info) {
  return describe(node, gpuInstance, profile, engProfile, info);
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceRemainingCapacity(Store& node, nvmlGpuInstance_t gpuInstance,
                                                                unsigned int profileId, unsigned int* count) {
  Cut cut{};
  nvmlReturn_t code = find_cut(node, gpuInstance, &cut);
  if (code != NVML_SUCCESS) return code;
  ComputeProfile profile{};
  if (code = find_profile_of(cut, profileId, &profile); code != NVML_SUCCESS) return code;
  if (code = may_see_layout(); code != NVML_SUCCESS) return code;
  *count = remaining_compute_capacity(cut.state.board, cut.state.layout, *cut.in, profile);
  return NVML_SUCCESS;
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

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceById(Store& node, nvmlGpuInstance_t gpuInstance, unsigned int id,
                                                   nvmlComputeInstance_t* computeInstance) {
  Cut cut{};
  nvmlReturn_t code = find_cut(node, gpuInstance, &cut);
  if (code != NVML_SUCCESS) return code;
  if (code = may_see_layout(); code != NVML_SUCCESS) return code;
  const MigComputeInstance* found = cut.state.layout.find(cut.in->id, id);
  if (found == nullptr) return NVML_ERROR_NOT_FOUND;
  *computeInstance = handle_of(cut.state, *found);
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

nvmlReturn_t nvmlComputeInstanceGetInfo(Store& node, nvmlComputeInstance_t computeInstance,
                                        nvmlComputeInstanceInfo_t* info) {
  nvmlComputeInstanceInfo_t all{};
  const nvmlReturn_t code = describe(node, computeInstance, &all);
  if (code == NVML_SUCCESS) std::memcpy(info, &all, sizeof(historic::nvmlComputeInstanceInfo_t_before_11_2_0));
  return code;
}

nvmlReturn_t nvmlComputeInstanceGetInfo_v2(Store& node, nvmlComputeInstance_t computeInstance,
                                           nvmlComputeInstanceInfo_t* info) {
  return describe(node, computeInstance, info);
}

}  // namespace hooks
}  // namespace nvmlab::driver
