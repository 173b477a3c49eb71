// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
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

nvmlReturn_t set_limit(const Device& gpu, const Limits& limits, std::uint32_t milliwatts) {
  const Power power = fetch(gpu, &Gpu::power);
  if (!(power.*limits.requested).has_value()) return code_of((power.*limits.requested).code());
  if (milliwatts < (power.*limits.lowest).value_or(0) || milliwatts > (power.*limits.highest).value_or(~0u))
    return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    (state.power.*limits.requested).set(milliwatts);
    if ((state.power.*limits.enforced).has_value()) (state.power.*limits.enforced).set(milliwatts);
    return NVML_SUCCESS;
  });
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceSetPowerManagementLimit(const Device& gpu, unsigned int limit) {
  return set_limit(gpu, kGpu, limit);
}

nvmlReturn_t nvmlDeviceSetPowerManagementLimit_v2(const Device& gpu, nvmlPowerValue_v2_t* powerValue) {
  switch (powerValue->powerScope) {
    case POWER_SCOPE_GPU:
      return set_limit(gpu, kGpu, powerValue->powerValueMw);
    case POWER_SCOPE_MODULE:
      return set_limit(gpu, kModule, powerValue->powerValueMw);
    case POWER_SCOPE_MEMORY:
      return NVML_ERROR_NOT_SUPPORTED;  // memory has a draw, no limit of its own
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace hooks
}  // namespace nvmlab::driver
