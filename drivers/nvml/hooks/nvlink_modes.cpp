// SPDX-License-Identifier: Apache-2.0
//
// What is set for all links of a GPU, or of the machine: bandwidth, low power, encryption. Tests:
// tests/drivers/functions/nvlink_test.cpp.
#include "drivers/nvml/hooks/nvlink.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

void fill_firmware(const Nvlink& nvlink, nvmlNvlinkFirmwareInfo_t* info) {
  static_assert(decltype(Nvlink::firmware)::capacity <= NVLINK_FIRMWARE_VERSION_LENGTH);
  *info = {};
  for (const Nvlink::Firmware& firmware : nvlink.firmware) {
    info->firmwareVersion[info->numValidEntries++] = {static_cast<unsigned char>(firmware.kind.value_or(0)),
                                                      firmware.major.value_or(0), firmware.minor.value_or(0),
                                                      firmware.sub_minor.value_or(0)};
  }
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetNvlinkSupportedBwModes(const Device& gpu, nvmlNvlinkSupportedBwModes_t* supportedBwMode) {
  const Nvlink nvlink = fetch(gpu, &Gpu::nvlink);
  if (!nvlink.bandwidth_mode.has_value()) return code_of(nvlink.bandwidth_mode.code());
  static_assert(decltype(Nvlink::bandwidth_modes)::capacity == NVLINK_TOTAL_SUPPORTED_BW_MODES);
  supportedBwMode->totalBwModes = 0;
  for (unsigned char& mode : supportedBwMode->bwModes)
    mode = 0;
  for (const std::uint32_t mode : nvlink.bandwidth_modes)
    supportedBwMode->bwModes[supportedBwMode->totalBwModes++] = static_cast<unsigned char>(mode);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvlinkBwMode(const Device& gpu, nvmlNvlinkGetBwMode_t* getBwMode) {
  const Nvlink nvlink = fetch(gpu, &Gpu::nvlink);
  if (!nvlink.bandwidth_mode.has_value()) return code_of(nvlink.bandwidth_mode.code());
  getBwMode->bwMode = static_cast<unsigned char>(nvlink.bandwidth_mode.value);
  getBwMode->bIsBest = nvlink.bandwidth_mode_best.value_or(~0u) == nvlink.bandwidth_mode.value ? 1 : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetNvlinkBwMode(const Device& gpu, nvmlNvlinkSetBwMode_t* setBwMode) {
  return apply(gpu, SetNvlinkBandwidthMode{setBwMode->bSetBest, setBwMode->bwMode});
}

nvmlReturn_t nvmlDeviceSetNvlinkBwModeAsync_v1(const Device& gpu, nvmlNvlinkSetBwModeAsync_v1_t* setBwModeAsync) {
  const Fact<std::uint32_t> wait_ms = read_field(gpu.slot, &Gpu::nvlink, &Nvlink::bandwidth_mode_wait_ms);
  if (!wait_ms.has_value()) return code_of(wait_ms.code());
  const nvmlReturn_t code = apply(gpu, SetNvlinkBandwidthMode{setBwModeAsync->bSetBest, setBwModeAsync->bwMode});
  if (code == NVML_SUCCESS) setBwModeAsync->asyncPollTimeoutMs = wait_ms.value;
  return code;
}

// Asking takes root as well, as the header says.
nvmlReturn_t nvmlSystemGetNvlinkBwMode(Store& store, unsigned int* nvlinkBwMode) {
  const Fact<std::uint32_t> mode = read_field(store.node, &Node::system, &System::nvlink_bandwidth_mode);
  if (mode.has_value() && !may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return give(mode, nvlinkBwMode);
}

nvmlReturn_t nvmlSystemSetNvlinkBwMode(Store& store, unsigned int nvlinkBwMode) {
  return apply(store, SetSystemNvlinkBandwidthMode{nvlinkBwMode});
}

nvmlReturn_t nvmlDeviceSetNvLinkDeviceLowPowerThreshold(const Device& gpu, nvmlNvLinkPowerThres_t* info) {
  return apply(gpu, SetNvlinkLowPowerThreshold{info->lowPwrThreshold});
}

nvmlReturn_t nvmlDeviceGetNvLinkInfo(const Device& gpu, nvmlNvLinkInfo_t* info) {
  const Nvlink nvlink = fetch(gpu, &Gpu::nvlink);
  if (!nvlink.encryption.has_value()) return code_of(nvlink.encryption.code());
  info->isNvleEnabled = nvlink.encryption.value;
  fill_firmware(nvlink, &info->firmwareInfo);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkInfo_v3(const Device& gpu, nvmlNvLinkInfo_v3_t* info) {
  const Nvlink nvlink = fetch(gpu, &Gpu::nvlink);
  if (!nvlink.encryption.has_value()) return code_of(nvlink.encryption.code());
  info->isNvleEnabled = nvlink.encryption.value;
  fill_firmware(nvlink, &info->firmwareInfo);
  info->isNvleReady = nvlink.encryption_ready.value_or(0);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetNvlinkNvleReady_v1(const Device& gpu, nvmlNvlinkSetNvleReady_v1_t* setNvleReady) {
  return apply(gpu, SetNvlinkEncryptionReady{setNvleReady->bNvleReady});
}

}  // namespace hooks
}  // namespace nvmlab::driver
