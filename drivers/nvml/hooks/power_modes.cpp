// SPDX-License-Identifier: Apache-2.0
//
// Ways of managing power beyond a limit: power smoothing, the power mizer, adaptive TGP.
// Tests: tests/drivers/functions/power_profiles_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

using SmoothingProfile = Power::SmoothingProfile;

// A parameter by its number: where it goes, how many of the field's units make one of NVML's, and how far it reaches.
struct Parameter {
  Fact<std::uint32_t> SmoothingProfile::*field;
  double scale;
  double highest;
};

constexpr double kAny = 4294967295.0;
constexpr Parameter kParameters[] = {
    {&SmoothingProfile::floor_percent, 100, 100},       {&SmoothingProfile::ramp_up_mw_per_s, 1, kAny},
    {&SmoothingProfile::ramp_down_mw_per_s, 1, kAny},   {&SmoothingProfile::ramp_down_hysteresis_ms, 1, kAny},
    {&SmoothingProfile::secondary_floor_mw, 1, kAny},   {&SmoothingProfile::primary_activation_window, 1, 255},
    {&SmoothingProfile::primary_target_window, 1, 255}, {&SmoothingProfile::primary_activation_offset_mw, 1, kAny},
};
static_assert(sizeof kParameters / sizeof *kParameters == POWER_SMOOTHING_NUM_PROFILE_PARAMS);

// The administrator's override leaves the caller's wish out of account.
void arbitrate_tgp(Power& power) {
  if (!power.adaptive_tgp_active.has_value()) return;
  const bool allowed = power.adaptive_tgp_allowed.value_or(0) != 0;
  const bool requested = power.adaptive_tgp_requested.value_or(0) != 0;
  const bool override_active = power.adaptive_tgp_override.value_or(0) != 0;
  power.adaptive_tgp_active.set(allowed && (override_active || requested) ? 1 : 0);
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDevicePowerSmoothingSetState(const Device& gpu, nvmlPowerSmoothingState_t* state) {
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::power, &Power::smoothing);
  if (!now.has_value()) return code_of(now.code());
  if (state->state != NVML_FEATURE_DISABLED && state->state != NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [state](Gpu& draft) {
    draft.power.smoothing.set(static_cast<std::uint32_t>(state->state));
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDevicePowerSmoothingActivatePresetProfile(const Device& gpu, nvmlPowerSmoothingProfile_t* profile) {
  const Power power = fetch(gpu, &Gpu::power);
  if (!power.smoothing_active_profile.has_value()) return code_of(power.smoothing_active_profile.code());
  if (profile->profileId >= power.smoothing_profiles.size()) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [profile](Gpu& draft) {
    draft.power.smoothing_active_profile.set(profile->profileId);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDevicePowerSmoothingUpdatePresetProfileParam(const Device& gpu, nvmlPowerSmoothingProfile_t* profile) {
  const Power power = fetch(gpu, &Gpu::power);
  if (power.smoothing_profiles.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (profile->profileId >= power.smoothing_profiles.size() ||
      profile->paramId >= sizeof kParameters / sizeof *kParameters)
    return NVML_ERROR_INVALID_ARGUMENT;
  const Parameter& parameter = kParameters[profile->paramId];
  // Written so that a value that is no number fails too.
  if (!(profile->value >= 0 && profile->value <= parameter.highest)) return NVML_ERROR_INVALID_ARGUMENT;
  const Fact<std::uint32_t>& now = power.smoothing_profiles.items[profile->profileId].*parameter.field;
  if (!now.has_value()) return code_of(now.code());
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& draft) {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and the driver has no libm
    const auto value = static_cast<std::uint32_t>(static_cast<std::int64_t>(profile->value * parameter.scale + 0.5));
    (draft.power.smoothing_profiles[profile->profileId].*parameter.field).set(value);
    return NVML_SUCCESS;
  });
}

// nvidia-settings changes it for whoever sits at the machine, so no right is asked for.
nvmlReturn_t nvmlDeviceSetPowerMizerMode_v1(const Device& gpu, nvmlDevicePowerMizerModes_v1_t* powerMizerMode) {
  const Power power = fetch(gpu, &Gpu::power);
  if (!power.mizer_mode.has_value()) return code_of(power.mizer_mode.code());
  const unsigned int mode = powerMizerMode->mode;
  if (mode >= 32 || (power.mizer_modes.value_or(0) >> mode & 1) == 0) return NVML_ERROR_INVALID_ARGUMENT;
  return change(gpu, [mode](Gpu& draft) {
    draft.power.mizer_mode.set(mode);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetAdaptiveTgpMode_v1(const Device& gpu, nvmlEnableState_t mode) {
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::power, &Power::adaptive_tgp_requested);
  if (!now.has_value()) return code_of(now.code());
  if (mode != NVML_FEATURE_DISABLED && mode != NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [mode](Gpu& draft) {
    draft.power.adaptive_tgp_requested.set(static_cast<std::uint32_t>(mode));
    arbitrate_tgp(draft.power);
    return NVML_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
