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

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceSetFanSpeed_v2(const Device& gpu, unsigned int fan, unsigned int speed) {
  return apply(gpu, SetFanSpeed{fan, speed});
}

nvmlReturn_t nvmlDeviceSetDefaultFanSpeed_v2(const Device& gpu, unsigned int fan) {
  return apply(gpu, SetFanPolicy{fan, 0});
}

nvmlReturn_t nvmlDeviceSetFanControlPolicy(const Device& gpu, unsigned int fan, nvmlFanControlPolicy_t policy) {
  static_assert(FAN_POLICY_TEMPERATURE_CONTINOUS_SW == 0 && FAN_POLICY_MANUAL == 1);
  return apply(gpu, SetFanPolicy{fan, policy});
}

}  // namespace hooks
}  // namespace nvmlab::driver
