// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

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
