// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceSetDramEncryptionMode(const Device& gpu, const nvmlDramEncryptionInfo_t* dramEncryption) {
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::modes, &Modes::dram_encryption);
  if (!now.has_value()) return code_of(now.code());
  const nvmlEnableState_t wanted = dramEncryption->encryptionState;
  if (wanted != NVML_FEATURE_DISABLED && wanted != NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [wanted](Gpu& state) {
    state.modes.dram_encryption_pending.set(static_cast<std::uint32_t>(wanted));
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetAPIRestriction(const Device& gpu, nvmlRestrictedAPI_t apiType,
                                         nvmlEnableState_t isRestricted) {
  if (apiType != NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS && apiType != NVML_RESTRICTED_API_SET_AUTO_BOOSTED_CLOCKS)
    return NVML_ERROR_INVALID_ARGUMENT;
  const auto field = apiType == NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS ? &Modes::api_restriction_application_clocks
                                                                           : &Modes::api_restriction_auto_boost;
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::modes, field);
  if (!now.has_value()) return code_of(now.code());
  if (isRestricted != NVML_FEATURE_DISABLED && isRestricted != NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    (state.modes.*field).set(static_cast<std::uint32_t>(isRestricted));
    return NVML_SUCCESS;
  });
}

// A GPU in a guest, or under a driver that hosts no vGPU, keeps its mode.
nvmlReturn_t nvmlDeviceSetVirtualizationMode(const Device& gpu, nvmlGpuVirtualizationMode_t virtualMode) {
  const Modes modes = fetch(gpu, &Gpu::modes);
  if (!modes.virtualization.has_value()) return code_of(modes.virtualization.code());
  if (!modes.host_vgpu.has_value()) return NVML_ERROR_NOT_SUPPORTED;
  if (virtualMode != NVML_GPU_VIRTUALIZATION_MODE_HOST_VGPU && virtualMode != NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [virtualMode](Gpu& state) {
    state.modes.virtualization.set(static_cast<std::uint32_t>(virtualMode));
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetRusdSettings_v1(const Device& gpu, nvmlRusdSettings_v1_t* settings) {
  const Fact<std::uint64_t> now = read_field(gpu.slot, &Gpu::modes, &Modes::rusd_poll_mask);
  if (!now.has_value()) return code_of(now.code());
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [settings](Gpu& state) {
    state.modes.rusd_poll_mask.set(settings->pollMask);
    return NVML_SUCCESS;
  });
}

}  // namespace nvmlab::driver::hooks
