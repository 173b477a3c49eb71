// SPDX-License-Identifier: Apache-2.0
// Fans by number. A passive board has none, and refuses before it looks at the number.
#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

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

}  // namespace nvmlab::driver::hooks
