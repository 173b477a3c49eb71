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

// The profile of an id, among those that the driver knows.
template <class Give>
nvmlReturn_t ask_profile(const Device& gpu, std::uint32_t id, Give&& give) {
  Profile profile{};
  const bool found = consistent(gpu.slot, [&](const Gpu& state) {
    return visit_until(state.mig.profiles, [&](const Profile& each) {
      if (load(each.number).value_or(~0U) >= profile_count() || load(each.id).value_or(~0U) != id) return false;
      load_into(profile, each);
      return true;
    });
  });
  return found ? give(profile) : NVML_ERROR_NOT_SUPPORTED;
}

}  // namespace

namespace hooks {

// Without an array the count is asked for; an array has room for all, which the number of instances tells.
nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements_v2(const Device& gpu, unsigned int profileId,
                                                           nvmlGpuInstancePlacement_t* placements,
                                                           unsigned int* count) {
  return ask_profile(gpu, profileId, [placements, count](const Profile& profile) {
    if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
    for (std::uint32_t i = 0; placements != nullptr && i < profile.starts.size(); ++i)
      placements[i] = {profile.starts[i], profile.memory_slices.value_or(0)};
    *count = profile.starts.size();
    return NVML_SUCCESS;
  });
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
