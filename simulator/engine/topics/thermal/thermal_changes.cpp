// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/thermal/thermal_changes.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kAutomatic = 0;
constexpr std::uint32_t kManual = 1;

// A passive board has no fan, and refuses before it looks at the number.
Code check_fan(const Thermal& thermal, std::uint32_t number) {
  if (thermal.fans.size() == 0) return kNotSupported;
  return number < thermal.fans.size() ? kSuccess : kInvalidArgument;
}

}  // namespace

void follow_temperature(Thermal::Fan& fan) {
  if (!fan.automatic_percent.has_value()) return;
  fan.target_percent = fan.automatic_percent;
  fan.speed_percent = fan.automatic_percent;
}

Code make(const SetTemperatureTarget& change, GpuEdit& gpu) {
  const bool acoustic = change.target == SetTemperatureTarget::Target::acoustic;
  const auto field = acoustic ? &Thermal::acoustic_current_c : &Thermal::gps_current_c;
  const Thermal& thermal = gpu.view(&Gpu::thermal);
  if (!(thermal.*field).has_value()) return (thermal.*field).code();
  const std::int64_t lowest = acoustic ? thermal.acoustic_min_c.value_or(0) : 0;
  const std::int64_t highest = acoustic ? thermal.acoustic_max_c.value_or(0) : thermal.gpu_max_c.value_or(0);
  if (change.celsius < lowest || change.celsius > highest) return kInvalidArgument;
  (gpu.edit(&Gpu::thermal).*field).set(static_cast<std::uint32_t>(change.celsius));
  return kSuccess;
}

Code make(const SetFanSpeed& change, GpuEdit& gpu) {
  const Thermal& thermal = gpu.view(&Gpu::thermal);
  if (thermal.fans.size() == 0) return kNotSupported;
  if (change.percent < thermal.fan_min_percent.value_or(0) || change.percent > thermal.fan_max_percent.value_or(100))
    return kInvalidArgument;
  if (const Code code = check_fan(thermal, change.fan); code != kSuccess) return code;
  Thermal::Fan& fan = gpu.edit(&Gpu::thermal).fans[change.fan];
  fan.target_percent.set(change.percent);
  fan.speed_percent.set(change.percent);
  fan.policy.set(kManual);
  return kSuccess;
}

Code make(const SetFanPolicy& change, GpuEdit& gpu) {
  if (change.manual > kManual) return kInvalidArgument;
  if (const Code code = check_fan(gpu.view(&Gpu::thermal), change.fan); code != kSuccess) return code;
  Thermal::Fan& fan = gpu.edit(&Gpu::thermal).fans[change.fan];
  fan.policy.set(change.manual != 0 ? kManual : kAutomatic);
  if (change.manual == 0) follow_temperature(fan);
  return kSuccess;
}

}  // namespace nvmlab
