// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceSetPowerManagementLimit(const Device& gpu, unsigned int limit) {
  return apply(gpu, SetPowerLimit{PowerScope::gpu, limit});
}

nvmlReturn_t nvmlDeviceSetPowerManagementLimit_v2(const Device& gpu, nvmlPowerValue_v2_t* powerValue) {
  switch (powerValue->powerScope) {
    case POWER_SCOPE_GPU:
      return apply(gpu, SetPowerLimit{PowerScope::gpu, powerValue->powerValueMw});
    case POWER_SCOPE_MODULE:
      return apply(gpu, SetPowerLimit{PowerScope::module, powerValue->powerValueMw});
    case POWER_SCOPE_MEMORY:
      return NVML_ERROR_NOT_SUPPORTED;  // memory has a draw, no limit of its own
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace nvmlab::driver::hooks
