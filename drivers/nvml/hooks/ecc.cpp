// SPDX-License-Identifier: Apache-2.0
// What clears error counters. Tests: tests/drivers/functions/ecc_test.cpp.
#include "engine/topics/ecc/ecc_rules.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace hooks {

nvmlReturn_t nvmlDeviceClearEccErrorCounts(const Device& gpu, nvmlEccCounterType_t counterType) {
  const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::ecc, &Ecc::mode);
  if (!mode.has_value()) return code_of(mode.code());
  if (counterType != NVML_VOLATILE_ECC && counterType != NVML_AGGREGATE_ECC) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [counterType](Gpu& state) {
    if (counterType == NVML_VOLATILE_ECC) {
      clear_volatile(state.ecc);
    } else {
      clear_aggregate(state.ecc);
    }
    return NVML_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
