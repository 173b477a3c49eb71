// SPDX-License-Identifier: Apache-2.0
//
// Confidential computing: as in NVIDIA's open kernel modules a size of unprotected memory is taken without effect.
// Tests: tests/drivers/functions/confcompute_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceSetConfComputeUnprotectedMemSize(const Device& gpu, unsigned long long) {
  const Fact<std::uint64_t> secured = read_field(gpu.slot, &Gpu::memory, &Memory::protected_total_bytes);
  if (!secured.has_value()) return code_of(secured.code());
  return may_administrate() ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
}

}  // namespace nvmlab::driver::hooks
