// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/thermal/thermal_changes.hpp"

#include "engine/topics/generated/field_rules.hpp"

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

// The policy decides where both it and the target are written.
Code rules::drive_fan(GpuEdit& gpu, std::uint32_t item, const Written& written) {
  Thermal::Fan& fan = gpu.edit(&Gpu::thermal).fans[item];
  const auto has = [&](const Fact<std::uint32_t>& field) { return written.has(gpu.place_of_edited(&field)); };
  if (has(fan.policy) && fan.policy.value_or(kManual) == kAutomatic) {
    follow_temperature(fan);
  } else if (has(fan.target_percent) && fan.target_percent.has_value()) {
    if (!has(fan.speed_percent)) fan.speed_percent = fan.target_percent;
    if (!has(fan.policy)) fan.policy.set(kManual);
  }
  return kSuccess;
}

Code make(const SetTemperatureTarget& change, GpuEdit& gpu) {
  const bool acoustic = change.target == SetTemperatureTarget::Target::acoustic;
  const Thermal& thermal = gpu.edit(&Gpu::thermal);
  return write_setting(gpu, acoustic ? thermal.acoustic_current_c : thermal.gps_current_c,
                       static_cast<std::uint64_t>(std::int64_t{change.celsius}));
}

Code make(const SetFanSpeed& change, GpuEdit& gpu) {
  if (const Code code = check_fan(gpu.view(&Gpu::thermal), change.fan); code != kSuccess) return code;
  Fact<std::uint32_t>& target = gpu.edit(&Gpu::thermal).fans[change.fan].target_percent;
  target.set(change.percent);
  return follow_fields(gpu, {&target});
}

Code make(const SetFanPolicy& change, GpuEdit& gpu) {
  if (change.manual > kManual) return kInvalidArgument;
  if (const Code code = check_fan(gpu.view(&Gpu::thermal), change.fan); code != kSuccess) return code;
  Fact<std::uint32_t>& policy = gpu.edit(&Gpu::thermal).fans[change.fan].policy;
  policy.set(change.manual);
  return follow_fields(gpu, {&policy});
}

}  // namespace nvmlab
