// SPDX-License-Identifier: Apache-2.0
// Fans by number. A passive board has none, and refuses before it looks at the number.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

using Fan = Thermal::Fan;

nvmlReturn_t fetch_fan(const Device& gpu, unsigned int number, Fan* fan) {
  const Thermal thermal = fetch(gpu, &Gpu::thermal);
  if (thermal.fans.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (number >= thermal.fans.size()) return NVML_ERROR_INVALID_ARGUMENT;
  *fan = thermal.fans[number];
  return NVML_SUCCESS;
}

template <class T>
nvmlReturn_t give_fan(const Device& gpu, unsigned int number, Fact<std::uint32_t> Fan::*field, T* to) {
  Fan fan;
  const nvmlReturn_t code = fetch_fan(gpu, number, &fan);
  return code == NVML_SUCCESS ? give(fan.*field, to) : code;
}

// Who may drive a fan, and what it is told.
template <class Change>
nvmlReturn_t change_fan(const Device& gpu, unsigned int number, const Change& apply) {
  Fan fan;
  if (const nvmlReturn_t code = fetch_fan(gpu, number, &fan); code != NVML_SUCCESS) return code;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    apply(state.thermal.fans[number]);
    return NVML_SUCCESS;
  });
}

// Back to what the temperature asks for.
void drive_by_temperature(Fan& fan) {
  fan.policy.set(FAN_POLICY_TEMPERATURE_CONTINOUS_SW);
  if (!fan.automatic_percent.has_value()) return;
  fan.target_percent = fan.automatic_percent;
  fan.speed_percent = fan.automatic_percent;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceSetFanSpeed_v2(const Device& gpu, unsigned int fan, unsigned int speed) {
  const Thermal thermal = fetch(gpu, &Gpu::thermal);
  if (thermal.fans.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (speed < thermal.fan_min_percent.value_or(0) || speed > thermal.fan_max_percent.value_or(100))
    return NVML_ERROR_INVALID_ARGUMENT;
  return change_fan(gpu, fan, [speed](Fan& state) {
    state.target_percent.set(speed);
    state.speed_percent.set(speed);
    state.policy.set(FAN_POLICY_MANUAL);
  });
}

nvmlReturn_t nvmlDeviceSetDefaultFanSpeed_v2(const Device& gpu, unsigned int fan) {
  return change_fan(gpu, fan, drive_by_temperature);
}

nvmlReturn_t nvmlDeviceSetFanControlPolicy(const Device& gpu, unsigned int fan, nvmlFanControlPolicy_t policy) {
  if (policy > FAN_POLICY_MANUAL) return NVML_ERROR_INVALID_ARGUMENT;
  return change_fan(gpu, fan, [policy](Fan& state) {
    if (policy == FAN_POLICY_MANUAL) {
      state.policy.set(policy);
    } else {
      drive_by_temperature(state);
    }
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
