// SPDX-License-Identifier: Apache-2.0
//
// Workload power profiles: what a board has, what was asked for and what of it is in force. Boards before Blackwell
// have none. Tests: tests/drivers/functions/power_profiles_test.cpp.
#include "engine/topics/power/workload_profiles.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

static_assert(sizeof(ProfileMask) == sizeof(nvmlMask255_t));

void put(nvmlMask255_t& to, const ProfileMask& mask) { std::memcpy(&to, mask.words, sizeof to); }

ProfileMask taken(const nvmlMask255_t& from) {
  ProfileMask mask;
  std::memcpy(mask.words, &from, sizeof mask.words);
  return mask;
}

using Join = RequestWorkloadProfiles::Join;

nvmlReturn_t request(const Device& gpu, const nvmlMask255_t& profiles, Join join) {
  return apply(gpu, RequestWorkloadProfiles{join, taken(profiles)});
}

bool has_profiles(const Device& gpu) {
  return consistent(gpu.slot, [](const Gpu& state) { return length_of(state.power.workload_profiles); }) > 0;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceWorkloadPowerProfileGetProfilesInfo(const Device& gpu,
                                                           nvmlWorkloadPowerProfileProfilesInfo_t* profilesInfo) {
  if (!has_profiles(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  Power power{};
  fetch_into(gpu, &Gpu::power, power);
  const unsigned int version = profilesInfo->version;
  std::memset(profilesInfo, 0, sizeof *profilesInfo);
  profilesInfo->version = version;
  put(profilesInfo->perfProfilesMask, supported_profiles(power));
  for (const Power::WorkloadProfile& profile : power.workload_profiles) {
    constexpr std::uint32_t room = sizeof profilesInfo->perfProfile / sizeof *profilesInfo->perfProfile;
    if (profile.id.value >= room) continue;
    auto& out = profilesInfo->perfProfile[profile.id.value];
    out.version = version_of<nvmlWorkloadPowerProfileInfo_v1_t>;
    out.profileId = profile.id.value;
    out.priority = profile.priority.value_or(0);
    put(out.conflictingMask, conflicts_of(profile));
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceWorkloadPowerProfileGetCurrentProfiles(
    const Device& gpu, nvmlWorkloadPowerProfileCurrentProfiles_t* currentProfiles) {
  if (!has_profiles(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  Power power{};
  fetch_into(gpu, &Gpu::power, power);
  put(currentProfiles->perfProfilesMask, supported_profiles(power));
  put(currentProfiles->requestedProfilesMask, requested_profiles(power));
  put(currentProfiles->enforcedProfilesMask, enforced_profiles(power));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceWorkloadPowerProfileSetRequestedProfiles(
    const Device& gpu, nvmlWorkloadPowerProfileRequestedProfiles_t* requestedProfiles) {
  return request(gpu, requestedProfiles->requestedProfilesMask, Join::add);
}

nvmlReturn_t nvmlDeviceWorkloadPowerProfileClearRequestedProfiles(
    const Device& gpu, nvmlWorkloadPowerProfileRequestedProfiles_t* requestedProfiles) {
  return request(gpu, requestedProfiles->requestedProfilesMask, Join::remove);
}

nvmlReturn_t nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1(
    const Device& gpu, nvmlWorkloadPowerProfileUpdateProfiles_v1_t* updateProfiles) {
  switch (updateProfiles->operation) {
    case NVML_POWER_PROFILE_OPERATION_CLEAR:
      return request(gpu, updateProfiles->updateProfilesMask, Join::remove);
    case NVML_POWER_PROFILE_OPERATION_SET:
      return request(gpu, updateProfiles->updateProfilesMask, Join::add);
    case NVML_POWER_PROFILE_OPERATION_SET_AND_OVERWRITE:
      return request(gpu, updateProfiles->updateProfilesMask, Join::replace);
    default:
      return has_profiles(gpu) ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace hooks
}  // namespace nvmlab::driver
