// SPDX-License-Identifier: Apache-2.0
//
// What is set for all links of a GPU, or of the machine: bandwidth, low power, encryption. Tests:
// tests/drivers/functions/nvlink_test.cpp.
#include "drivers/nvml/hooks/nvlink.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// "Back to what it was when the board was shipped."
constexpr std::uint32_t kDefaultThreshold = NVLINK_LOW_POWER_THRESHOLD_RESET;

// Modes of nvmlSystemSetNvlinkBwMode: full, off, min, half, three quarters. The header names none.
constexpr std::uint32_t kLastSystemMode = 4;

bool has_mode(const Nvlink& nvlink, std::uint32_t mode) {
  for (const std::uint32_t each : nvlink.bandwidth_modes) {
    if (each == mode) return true;
  }
  return false;
}

nvmlReturn_t set_mode(const Device& gpu, const Nvlink& nvlink, bool best, std::uint32_t mode) {
  if (!nvlink.bandwidth_mode.has_value()) return code_of(nvlink.bandwidth_mode.code());
  const std::uint32_t wanted = best ? nvlink.bandwidth_mode_best.value_or(nvlink.bandwidth_mode.value) : mode;
  if (!has_mode(nvlink, wanted)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [wanted](Gpu& state) {
    state.nvlink.bandwidth_mode.set(wanted);
    return NVML_SUCCESS;
  });
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceSetNvlinkBwMode(const Device& gpu, nvmlNvlinkSetBwMode_t* setBwMode) {
  return set_mode(gpu, fetch(gpu, &Gpu::nvlink), setBwMode->bSetBest != 0, setBwMode->bwMode);
}

nvmlReturn_t nvmlDeviceSetNvlinkBwModeAsync_v1(const Device& gpu, nvmlNvlinkSetBwModeAsync_v1_t* setBwModeAsync) {
  const Nvlink nvlink = fetch(gpu, &Gpu::nvlink);
  if (!nvlink.bandwidth_mode_wait_ms.has_value()) return code_of(nvlink.bandwidth_mode_wait_ms.code());
  const nvmlReturn_t code = set_mode(gpu, nvlink, setBwModeAsync->bSetBest != 0, setBwModeAsync->bwMode);
  if (code == NVML_SUCCESS) setBwModeAsync->asyncPollTimeoutMs = nvlink.bandwidth_mode_wait_ms.value;
  return code;
}

nvmlReturn_t nvmlSystemSetNvlinkBwMode(Store& store, unsigned int nvlinkBwMode) {
  const Fact<std::uint32_t> mode = read_field(store.node, &Node::system, &System::nvlink_bandwidth_mode);
  if (!mode.has_value()) return code_of(mode.code());
  if (nvlinkBwMode > kLastSystemMode) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(store, [nvlinkBwMode](Node& node) {
    node.system.nvlink_bandwidth_mode.set(nvlinkBwMode);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetNvLinkDeviceLowPowerThreshold(const Device& gpu, nvmlNvLinkPowerThres_t* info) {
  const Nvlink nvlink = fetch(gpu, &Gpu::nvlink);
  if (!nvlink.low_power_threshold.has_value()) return code_of(nvlink.low_power_threshold.code());
  const std::uint32_t wanted = info->lowPwrThreshold == kDefaultThreshold
                                   ? nvlink.low_power_threshold_default.value_or(nvlink.low_power_threshold.value)
                                   : info->lowPwrThreshold;
  const bool in_range = wanted >= nvlink.low_power_threshold_min.value_or(NVLINK_LOW_POWER_THRESHOLD_MIN) &&
                        wanted <= nvlink.low_power_threshold_max.value_or(NVLINK_LOW_POWER_THRESHOLD_MAX);
  if (!in_range) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [wanted](Gpu& state) {
    state.nvlink.low_power_threshold.set(wanted);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetNvlinkNvleReady_v1(const Device& gpu, nvmlNvlinkSetNvleReady_v1_t* setNvleReady) {
  const Fact<std::uint32_t> ready = read_field(gpu.slot, &Gpu::nvlink, &Nvlink::encryption_ready);
  if (!ready.has_value()) return code_of(ready.code());
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  const std::uint32_t wanted = setNvleReady->bNvleReady != 0 ? 1 : 0;
  return change(gpu, [wanted](Gpu& state) {
    state.nvlink.encryption_ready.set(wanted);
    return NVML_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
