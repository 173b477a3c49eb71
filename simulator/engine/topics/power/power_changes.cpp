// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/power/power_changes.hpp"

namespace nvmlab {
namespace {

// The fields of one power scope.
struct Limits {
  Fact<std::uint32_t> Power::*requested;
  Fact<std::uint32_t> Power::*enforced;
  Fact<std::uint32_t> Power::*lowest;
  Fact<std::uint32_t> Power::*highest;
};

constexpr Limits kGpu = {&Power::limit_mw, &Power::enforced_limit_mw, &Power::min_limit_mw, &Power::max_limit_mw};
constexpr Limits kModule = {&Power::module_limit_mw, &Power::module_enforced_limit_mw, &Power::module_min_limit_mw,
                            &Power::module_max_limit_mw};

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
static_assert(sizeof kParameters / sizeof *kParameters == kSmoothingParameters);

std::uint32_t joined(RequestWorkloadProfiles::Join join, std::uint32_t before, std::uint32_t mask) {
  switch (join) {
    case RequestWorkloadProfiles::Join::add:
      return before | mask;
    case RequestWorkloadProfiles::Join::remove:
      return before & ~mask;
    case RequestWorkloadProfiles::Join::replace:
      break;
  }
  return mask;
}

}  // namespace

void arbitrate_tgp(Power& power) {
  if (!power.adaptive_tgp_active.has_value()) return;
  const bool allowed = power.adaptive_tgp_allowed.value_or(0) != 0;
  const bool requested = power.adaptive_tgp_requested.value_or(0) != 0;
  const bool override_active = power.adaptive_tgp_override.value_or(0) != 0;
  power.adaptive_tgp_active.set(allowed && (override_active || requested) ? 1 : 0);
}

// What held the old limit back says nothing of the new one.
Code make(const SetPowerLimit& change, GpuEdit& gpu) {
  const Limits& limits = change.scope == PowerScope::gpu ? kGpu : kModule;
  const Power& power = gpu.view(&Gpu::power);
  if (!(power.*limits.requested).has_value()) return (power.*limits.requested).code();
  if (change.milliwatts < (power.*limits.lowest).value_or(0) ||
      change.milliwatts > (power.*limits.highest).value_or(~0u))
    return kInvalidArgument;
  Power& draft = gpu.edit(&Gpu::power);
  (draft.*limits.requested).set(change.milliwatts);
  if ((draft.*limits.enforced).has_value()) (draft.*limits.enforced).set(0);
  return kSuccess;
}

Code make(const SetPowerSmoothing& change, GpuEdit& gpu) {
  const Power& power = gpu.view(&Gpu::power);
  if (!power.smoothing.has_value()) return power.smoothing.code();
  if (change.enabled > 1) return kInvalidArgument;
  gpu.edit(&Gpu::power).smoothing.set(change.enabled);
  return kSuccess;
}

Code make(const ActivateSmoothingProfile& change, GpuEdit& gpu) {
  const Power& power = gpu.view(&Gpu::power);
  if (!power.smoothing_active_profile.has_value()) return power.smoothing_active_profile.code();
  if (change.profile >= power.smoothing_profiles.size()) return kInvalidArgument;
  gpu.edit(&Gpu::power).smoothing_active_profile.set(change.profile);
  return kSuccess;
}

Code make(const SetSmoothingParameter& change, GpuEdit& gpu) {
  const Power& power = gpu.view(&Gpu::power);
  if (power.smoothing_profiles.size() == 0) return kNotSupported;
  if (change.profile >= power.smoothing_profiles.size() || change.parameter >= kSmoothingParameters)
    return kInvalidArgument;
  const Parameter& parameter = kParameters[change.parameter];
  // Written so that a value that is no number fails too.
  if (!(change.value >= 0 && change.value <= parameter.highest)) return kInvalidArgument;
  const Fact<std::uint32_t>& now = power.smoothing_profiles[change.profile].*parameter.field;
  if (!now.has_value()) return now.code();
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and the driver has no libm
  const auto value = static_cast<std::uint32_t>(static_cast<std::int64_t>(change.value * parameter.scale + 0.5));
  (gpu.edit(&Gpu::power).smoothing_profiles[change.profile].*parameter.field).set(value);
  return kSuccess;
}

Code make(const SetPowerMizerMode& change, GpuEdit& gpu) {
  const Power& power = gpu.view(&Gpu::power);
  if (!power.mizer_mode.has_value()) return power.mizer_mode.code();
  if (change.mode >= 32 || (power.mizer_modes.value_or(0) >> change.mode & 1) == 0) return kInvalidArgument;
  gpu.edit(&Gpu::power).mizer_mode.set(change.mode);
  return kSuccess;
}

Code make(const SetAdaptiveTgp& change, GpuEdit& gpu) {
  const Power& power = gpu.view(&Gpu::power);
  if (!power.adaptive_tgp_requested.has_value()) return power.adaptive_tgp_requested.code();
  if (change.enabled > 1) return kInvalidArgument;
  Power& draft = gpu.edit(&Gpu::power);
  draft.adaptive_tgp_requested.set(change.enabled);
  arbitrate_tgp(draft);
  return kSuccess;
}

Code make(const RequestWorkloadProfiles& change, GpuEdit& gpu) {
  const Power& power = gpu.view(&Gpu::power);
  if (power.workload_profiles.size() == 0) return kNotSupported;
  const ProfileMask supported = supported_profiles(power);
  ProfileMask now = requested_profiles(power);
  for (std::uint32_t i = 0; i < 8; ++i) {
    if ((change.profiles.words[i] & ~supported.words[i]) != 0) return kInvalidArgument;
    now.words[i] = joined(change.join, now.words[i], change.profiles.words[i]);
  }
  return remember_requested(gpu.edit(&Gpu::power), now) ? kSuccess : kInsufficientResources;
}

}  // namespace nvmlab
