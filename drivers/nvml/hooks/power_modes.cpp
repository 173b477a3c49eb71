// SPDX-License-Identifier: Apache-2.0
//
// Ways of managing power beyond a limit: power smoothing, the power mizer, adaptive TGP.
// Tests: tests/drivers/functions/power_profiles_test.cpp.
#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDevicePowerSmoothingSetState(const Device& gpu, nvmlPowerSmoothingState_t* state) {
  return apply(gpu, SetPowerSmoothing{static_cast<std::uint32_t>(state->state)});
}

nvmlReturn_t nvmlDevicePowerSmoothingActivatePresetProfile(const Device& gpu, nvmlPowerSmoothingProfile_t* profile) {
  return apply(gpu, ActivateSmoothingProfile{profile->profileId});
}

nvmlReturn_t nvmlDevicePowerSmoothingUpdatePresetProfileParam(const Device& gpu, nvmlPowerSmoothingProfile_t* profile) {
  return apply(gpu, SetSmoothingParameter{profile->profileId, profile->paramId, profile->value});
}

nvmlReturn_t nvmlDeviceSetPowerMizerMode_v1(const Device& gpu, nvmlDevicePowerMizerModes_v1_t* powerMizerMode) {
  return apply(gpu, SetPowerMizerMode{powerMizerMode->mode});
}

nvmlReturn_t nvmlDeviceSetAdaptiveTgpMode_v1(const Device& gpu, nvmlEnableState_t mode) {
  return apply(gpu, SetAdaptiveTgp{static_cast<std::uint32_t>(mode)});
}

}  // namespace nvmlab::driver::hooks
