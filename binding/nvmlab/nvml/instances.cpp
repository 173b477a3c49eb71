// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/shapes/instances.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvml::inline v1::detail {
namespace {

constexpr unsigned kMoreThanAnyBoard = 64;
constexpr unsigned kNumbers = 32;  // newer drivers have more profiles than the header has names for

// The count of the profile with this id; `describe(number, info)` asks for a profile by its number.
template <class Info, class Describe>
unsigned count_of(unsigned profile, Describe&& describe) noexcept {
  for (unsigned number = 0; number < kNumbers; ++number) {
    Info info{};
    if (describe(number, &info) == abi::NVML_SUCCESS && info.id == profile) return info.instanceCount;
  }
  return kMoreThanAnyBoard;
}

}  // namespace

unsigned most_instances(const State& state, abi::nvmlDevice_t device, unsigned profile) noexcept {
  const auto describe = state.functions.nvmlDeviceGetGpuInstanceProfileInfo;
  if (describe == nullptr) return kMoreThanAnyBoard;
  return count_of<abi::nvmlGpuInstanceProfileInfo_t>(
      profile, [&](unsigned number, auto* info) { return describe(device, number, info); });
}

unsigned most_instances(const State& state, abi::nvmlGpuInstance_t instance, unsigned profile) noexcept {
  const auto describe = state.functions.nvmlGpuInstanceGetComputeInstanceProfileInfo;
  if (describe == nullptr) return kMoreThanAnyBoard;
  return count_of<abi::nvmlComputeInstanceProfileInfo_t>(profile, [&](unsigned number, auto* info) {
    return describe(instance, number, abi::COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED, info);
  });
}

}  // namespace nvml::inline v1::detail
