// SPDX-License-Identifier: Apache-2.0
//
// MIG on boards where it is off. What a chip can be cut into, and where, is told without MIG being on; everything about
// instances is refused by verdicts of model/meaning/mig.yaml. Tests: tests/drivers/functions/mig_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

using Profile = Mig::Profile;

// Clients count up from zero until they are told that there is no such number; drivers know more and more of them.
std::uint32_t profile_count() { return simulated_driver().gpu_instance_profiles; }

template <class Matches, class Give>
nvmlReturn_t ask_profile(const Device& gpu, Matches&& matches, Give&& give) {
  const Mig mig = fetch(gpu, &Gpu::mig);
  for (const Profile& profile : mig.profiles) {
    if (profile.number.value_or(~0U) < profile_count() && matches(profile)) return give(profile);
  }
  return NVML_ERROR_NOT_SUPPORTED;
}

auto numbered(std::uint32_t number) {
  return [number](const Profile& profile) { return profile.number.value_or(~0U) == number; };
}

auto identified(std::uint32_t id) {
  return [id](const Profile& profile) { return profile.id.value_or(~0U) == id; };
}

// What all layouts have.
template <class Info>
void fill_profile(const Profile& profile, Info* info) {
  info->id = profile.id.value_or(0);
  info->sliceCount = profile.slices.value_or(0);
  info->instanceCount = profile.instances.value_or(0);
  info->multiprocessorCount = profile.multiprocessors.value_or(0);
  info->copyEngineCount = profile.copy_engines.value_or(0);
  info->decoderCount = profile.decoders.value_or(0);
  info->encoderCount = profile.encoders.value_or(0);
  info->jpegCount = profile.jpegs.value_or(0);
  info->ofaCount = profile.ofas.value_or(0);
  info->memorySizeMB = profile.memory_mib.value_or(0);
}

auto into(nvmlGpuInstanceProfileInfo_v3_t* info) {
  return [info](const Profile& profile) {
    fill_profile(profile, info);
    put_text(info->name, profile.name);
    info->capabilities = profile.capabilities.value_or(0);
    return NVML_SUCCESS;
  };
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(const Device& gpu, unsigned int* count) {
  const Modes modes = fetch(gpu, &Gpu::modes);
  *count = modes.mig.value_or(0) != 0 ? modes.mig_max_devices.value_or(0) : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(const Device& gpu, unsigned int profile,
                                                 nvmlGpuInstanceProfileInfo_t* info) {
  if (profile >= profile_count()) return NVML_ERROR_INVALID_ARGUMENT;
  return ask_profile(gpu, numbered(profile), [info](const Profile& found) {
    fill_profile(found, info);
    info->isP2pSupported = (found.capabilities.value_or(0) & GPU_INSTANCE_PROFILE_CAPS_P2P) != 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoV(const Device& gpu, unsigned int profile,
                                                  nvmlGpuInstanceProfileInfo_v3_t* info) {
  if (profile >= profile_count()) return NVML_ERROR_INVALID_ARGUMENT;
  return ask_profile(gpu, numbered(profile), into(info));
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoByIdV(const Device& gpu, unsigned int profileId,
                                                      nvmlGpuInstanceProfileInfo_v3_t* info) {
  return ask_profile(gpu, identified(profileId), into(info));
}

// Without an array the count is asked for; an array has room for all, which the number of instances tells.
nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements_v2(const Device& gpu, unsigned int profileId,
                                                           nvmlGpuInstancePlacement_t* placements,
                                                           unsigned int* count) {
  return ask_profile(gpu, identified(profileId), [placements, count](const Profile& profile) {
    if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
    for (std::uint32_t i = 0; placements != nullptr && i < profile.starts.size(); ++i)
      placements[i] = {profile.starts[i], profile.memory_slices.value_or(0)};
    *count = profile.starts.size();
    return NVML_SUCCESS;
  });
}

// nvidia-smi 550 lists profiles with MIG off and has a column for this.
nvmlReturn_t nvmlDeviceGetGpuInstanceRemainingCapacity(const Device& gpu, unsigned int profileId, unsigned int* count) {
  return ask_profile(gpu, identified(profileId), [count](const Profile&) {
    if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
    *count = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(const Device& gpu, unsigned int, nvmlDevice_t*) {
  return fetch(gpu, &Gpu::modes).mig.has_value() ? NVML_ERROR_NOT_FOUND : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceSetMigMode(const Device& gpu, unsigned int mode, nvmlReturn_t* activationStatus) {
  const nvmlReturn_t code = apply(gpu, SetMigMode{mode});
  if (code != NVML_SUCCESS) return code;
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::modes, &Modes::mig);
  *activationStatus = mode == now.value ? NVML_SUCCESS : NVML_ERROR_RESET_REQUIRED;
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
