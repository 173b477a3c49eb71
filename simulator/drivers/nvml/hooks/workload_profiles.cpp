// SPDX-License-Identifier: Apache-2.0
//
// Workload power profiles: what a board has, what was asked for and what of it is in force. Boards before Blackwell
// have none. Tests: tests/drivers/functions/power_profiles_test.cpp.
#include "engine/topics/power/workload_profiles.hpp"

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

static_assert(sizeof(ProfileMask) == sizeof(nvmlMask255_t));

void put(nvmlMask255_t& to, const ProfileMask& mask) { std::memcpy(&to, mask.words, sizeof to); }

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

}  // namespace hooks
}  // namespace nvmlab::driver
