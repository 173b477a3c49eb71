// SPDX-License-Identifier: Apache-2.0
// What clears error counters. Tests: tests/drivers/functions/ecc_test.cpp.
#include "engine/topics/ecc/ecc_rules.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceClearEccErrorCounts(const Device& gpu, nvmlEccCounterType_t counterType) {
  using Life = ClearEccCounts::Life;
  switch (counterType) {
    case NVML_VOLATILE_ECC:
      return apply(gpu, ClearEccCounts{Life::volatile_counts});
    case NVML_AGGREGATE_ECC:
      return apply(gpu, ClearEccCounts{Life::aggregate_counts});
    default: {
      const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::ecc, &Ecc::mode);
      return mode.has_value() ? NVML_ERROR_INVALID_ARGUMENT : code_of(mode.code());
    }
  }
}

}  // namespace nvmlab::driver::hooks
