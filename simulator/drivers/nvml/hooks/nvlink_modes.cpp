// SPDX-License-Identifier: Apache-2.0
//
// What is set for all links of a GPU and takes its time. Tests: tests/drivers/functions/nvlink_test.cpp.
#include "drivers/nvml/hooks/nvlink.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlDeviceSetNvlinkBwModeAsync_v1(const Device& gpu, nvmlNvlinkSetBwModeAsync_v1_t* setBwModeAsync) {
  const Fact<std::uint32_t> wait_ms = read_field(gpu.slot, &Gpu::nvlink, &Nvlink::bandwidth_mode_wait_ms);
  if (!wait_ms.has_value()) return code_of(wait_ms.code());
  const nvmlReturn_t code = apply(gpu, SetNvlinkBandwidthMode{setBwModeAsync->bSetBest, setBwModeAsync->bwMode});
  if (code == NVML_SUCCESS) setBwModeAsync->asyncPollTimeoutMs = wait_ms.value;
  return code;
}

}  // namespace nvmlab::driver::hooks
