// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/power/power_changes.hpp"

#include "engine/topics/generated/field_rules.hpp"

namespace nvmlab {
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

// The enforced limit is stored as its distance from the limit. What caused the distance from the old limit is no longer
// known to apply.
void enforce(Fact<std::uint32_t>& enforced) {
  if (enforced.has_value()) enforced.set(0);
}

bool has_all(const ProfileMask& supported, const ProfileMask& wanted) {
  for (std::uint32_t i = 0; i < 8; ++i)
    if ((wanted.words[i] & ~supported.words[i]) != 0) return false;
  return true;
}

}  // namespace

Code rules::enforce_limit(GpuEdit& gpu, std::uint32_t, const Written&) {
  enforce(gpu.edit(&Gpu::power).enforced_limit_mw);
  return kSuccess;
}

Code rules::enforce_module_limit(GpuEdit& gpu, std::uint32_t, const Written&) {
  enforce(gpu.edit(&Gpu::power).module_enforced_limit_mw);
  return kSuccess;
}

// The administrator's override leaves the caller's wish out of account.
Code rules::arbitrate_adaptive_tgp(GpuEdit& gpu, std::uint32_t, const Written&) {
  Power& power = gpu.edit(&Gpu::power);
  if (!power.adaptive_tgp_active.has_value()) return kSuccess;
  const bool allowed = power.adaptive_tgp_allowed.value_or(0) != 0;
  const bool requested = power.adaptive_tgp_requested.value_or(0) != 0;
  const bool override_active = power.adaptive_tgp_override.value_or(0) != 0;
  power.adaptive_tgp_active.set(allowed && (override_active || requested) ? 1 : 0);
  return kSuccess;
}

Code rules::check_smoothing_profile(GpuEdit& gpu, std::uint32_t, const Written&) {
  const Power& power = gpu.view(&Gpu::power);
  const Fact<std::uint32_t>& active = power.smoothing_active_profile;
  return !active.has_value() || active.value < power.smoothing_profiles.size() ? kSuccess : kInvalidArgument;
}

Code rules::check_mizer_mode(GpuEdit& gpu, std::uint32_t, const Written&) {
  const Power& power = gpu.view(&Gpu::power);
  if (!power.mizer_mode.has_value()) return kSuccess;
  const std::uint32_t mode = power.mizer_mode.value;
  return mode < 32 && (power.mizer_modes.value_or(0) >> mode & 1) != 0 ? kSuccess : kInvalidArgument;
}

// Requests are stored in the order of their numbers, each once.
Code rules::check_workload_profiles(GpuEdit& gpu, std::uint32_t, const Written&) {
  Power& power = gpu.edit(&Gpu::power);
  if (power.workload_requested.size() == 0) return kSuccess;
  if (power.workload_profiles.size() == 0) return kNotSupported;
  constexpr std::uint16_t kHighestProfile = 255;
  for (const std::uint16_t id : power.workload_requested)
    if (id > kHighestProfile) return kInvalidArgument;
  const ProfileMask requested = requested_profiles(power);
  if (!has_all(supported_profiles(power), requested)) return kInvalidArgument;
  return remember_requested(power, requested) ? kSuccess : kInsufficientResources;
}

Code make(const SetPowerLimit& change, GpuEdit& gpu) {
  const Power& power = gpu.edit(&Gpu::power);
  return write_setting(gpu, change.scope == PowerScope::gpu ? power.limit_mw : power.module_limit_mw,
                       change.milliwatts);
}

Code make(const SetPowerSmoothing& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::power).smoothing, change.enabled);
}

Code make(const ActivateSmoothingProfile& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::power).smoothing_active_profile, change.profile);
}

Code make(const SetSmoothingParameter& change, GpuEdit& gpu) {
  const Power& power = gpu.view(&Gpu::power);
  if (power.smoothing_profiles.size() == 0) return kNotSupported;
  if (change.profile >= power.smoothing_profiles.size() || change.parameter >= kSmoothingParameters)
    return kInvalidArgument;
  const Parameter& parameter = kParameters[change.parameter];
  // Written so that a value that is no number fails too.
  if (!(change.value >= 0 && change.value <= parameter.highest)) return kInvalidArgument;
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and the driver has no libm
  const auto value = static_cast<std::uint32_t>(static_cast<std::int64_t>(change.value * parameter.scale + 0.5));
  return write_setting(gpu, gpu.edit(&Gpu::power).smoothing_profiles[change.profile].*parameter.field, value);
}

Code make(const SetPowerMizerMode& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::power).mizer_mode, change.mode);
}

Code make(const SetAdaptiveTgp& change, GpuEdit& gpu) {
  return write_setting(gpu, gpu.edit(&Gpu::power).adaptive_tgp_requested, change.enabled);
}

Code make(const RequestWorkloadProfiles& change, GpuEdit& gpu) {
  const Power& power = gpu.view(&Gpu::power);
  if (power.workload_profiles.size() == 0) return kNotSupported;
  if (!has_all(supported_profiles(power), change.profiles)) return kInvalidArgument;
  ProfileMask now = requested_profiles(power);
  for (std::uint32_t i = 0; i < 8; ++i)
    now.words[i] = joined(change.join, now.words[i], change.profiles.words[i]);
  return remember_requested(gpu.edit(&Gpu::power), now) ? kSuccess : kInsufficientResources;
}

}  // namespace nvmlab
