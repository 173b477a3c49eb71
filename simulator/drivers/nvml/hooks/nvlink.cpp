// SPDX-License-Identifier: Apache-2.0
// What one link says of itself. Tests: tests/drivers/functions/nvlink_test.cpp.
#include "drivers/nvml/hooks/nvlink.hpp"

namespace nvmlab::driver {

std::uint32_t link_limit() { return simulated_driver().nvlink_links; }

std::uint32_t visible_links(const Gpu& gpu) {
  const std::uint32_t count = length_of(gpu.nvlink.links);
  return count < link_limit() ? count : link_limit();
}

nvmlReturn_t check_link(const Gpu& gpu, std::uint32_t number) {
  if (number >= link_limit()) return NVML_ERROR_INVALID_ARGUMENT;
  return number < visible_links(gpu) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

}  // namespace nvmlab::driver
