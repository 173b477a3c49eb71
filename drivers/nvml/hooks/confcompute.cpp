// SPDX-License-Identifier: Apache-2.0
//
// Confidential computing: what only makes sense while it is on, and what memory is protected. The rules are those of
// NVIDIA's open kernel modules: GPUs that accepted work and were told to stop never accept any again, keys can be
// arranged only before, and a size of unprotected memory is taken without effect. Tests:
// tests/drivers/functions/confcompute_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlSystemSetConfComputeGpusReadyState(Store& node, unsigned int isAcceptingWork) {
  return apply(node, SetGpusReady{isAcceptingWork});
}

nvmlReturn_t nvmlSystemSetConfComputeKeyRotationThresholdInfo(
    Store& node, nvmlConfComputeSetKeyRotationThresholdInfo_t* pKeyRotationThrInfo) {
  return apply(node, SetKeyRotationAdvantage{pKeyRotationThrInfo->maxAttackerAdvantage});
}

nvmlReturn_t nvmlDeviceSetConfComputeUnprotectedMemSize(const Device& gpu, unsigned long long) {
  const Fact<std::uint64_t> secured = read_field(gpu.slot, &Gpu::memory, &Memory::protected_total_bytes);
  if (!secured.has_value()) return code_of(secured.code());
  return may_administrate() ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
}

}  // namespace nvmlab::driver::hooks
