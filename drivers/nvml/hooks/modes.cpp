// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceGetDramEncryptionMode(const Device& gpu, nvmlDramEncryptionInfo_t* current,
                                             nvmlDramEncryptionInfo_t* pending) {
  const Modes modes = fetch(gpu, &Gpu::modes);
  if (!modes.dram_encryption.known()) return code_of(modes.dram_encryption.code());
  current->encryptionState = static_cast<nvmlEnableState_t>(modes.dram_encryption.value);
  pending->encryptionState =
      static_cast<nvmlEnableState_t>(modes.dram_encryption_pending.value_or(modes.dram_encryption.value));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCapabilities(const Device& gpu, nvmlDeviceCapabilities_t* caps) {
  const Fact<std::uint32_t> egm = read_field(gpu.slot, &Gpu::modes, &Modes::egm);
  if (!egm.known()) return code_of(egm.code());
  caps->capMask = egm.value != 0 ? DEV_CAP_EGM : 0;
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver::hooks
