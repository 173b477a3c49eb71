// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceGetDramEncryptionMode(const Device& gpu, nvmlDramEncryptionInfo_t* current,
                                             nvmlDramEncryptionInfo_t* pending) {
  const Modes modes = fetch(gpu, &Gpu::modes);
  if (!modes.dram_encryption.has_value()) return code_of(modes.dram_encryption.code());
  current->encryptionState = static_cast<nvmlEnableState_t>(modes.dram_encryption.value);
  pending->encryptionState =
      static_cast<nvmlEnableState_t>(modes.dram_encryption_pending.value_or(modes.dram_encryption.value));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCapabilities(const Device& gpu, nvmlDeviceCapabilities_t* caps) {
  const Fact<std::uint32_t> egm = read_field(gpu.slot, &Gpu::modes, &Modes::egm);
  if (!egm.has_value()) return code_of(egm.code());
  caps->capMask = egm.value != 0 ? DEV_CAP_EGM : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetDramEncryptionMode(const Device& gpu, const nvmlDramEncryptionInfo_t* dramEncryption) {
  return apply(gpu, SetDramEncryption{static_cast<std::uint32_t>(dramEncryption->encryptionState)});
}

nvmlReturn_t nvmlDeviceSetAPIRestriction(const Device& gpu, nvmlRestrictedAPI_t apiType,
                                         nvmlEnableState_t isRestricted) {
  using Api = SetApiRestriction::Api;
  const auto restricted = static_cast<std::uint32_t>(isRestricted);
  switch (apiType) {
    case NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS:
      return apply(gpu, SetApiRestriction{Api::application_clocks, restricted});
    case NVML_RESTRICTED_API_SET_AUTO_BOOSTED_CLOCKS:
      return apply(gpu, SetApiRestriction{Api::auto_boost, restricted});
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

nvmlReturn_t nvmlDeviceSetVirtualizationMode(const Device& gpu, nvmlGpuVirtualizationMode_t virtualMode) {
  return apply(gpu, SetVirtualizationMode{static_cast<std::uint32_t>(virtualMode)});
}

nvmlReturn_t nvmlDeviceSetRusdSettings_v1(const Device& gpu, nvmlRusdSettings_v1_t* settings) {
  return apply(gpu, SetRusdPollMask{settings->pollMask});
}

}  // namespace nvmlab::driver::hooks
