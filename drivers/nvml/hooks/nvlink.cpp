// SPDX-License-Identifier: Apache-2.0
// What one link says of itself. Tests: tests/drivers/functions/nvlink_test.cpp.
#include "drivers/nvml/hooks/nvlink.hpp"

namespace nvmlab::driver {

using Link = Nvlink::Link;

std::uint32_t link_limit() { return simulated_driver().nvlink_links; }

std::uint32_t visible_links(const GpuSlot& slot) {
  const std::uint32_t count =
      consistent(slot, [](const Gpu& gpu) { return __atomic_load_n(&gpu.nvlink.links.count, __ATOMIC_ACQUIRE); });
  constexpr std::uint32_t capacity = decltype(Nvlink::links)::capacity;
  const std::uint32_t limit = link_limit() < capacity ? link_limit() : capacity;
  return count < limit ? count : limit;
}

nvmlReturn_t check_link(const GpuSlot& slot, std::uint32_t number) {
  if (number >= link_limit()) return NVML_ERROR_INVALID_ARGUMENT;
  return number < visible_links(slot) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t fetch_link(const Device& gpu, std::uint32_t number, Link* link) {
  if (const nvmlReturn_t code = check_link(gpu.slot, number); code != NVML_SUCCESS) return code;
  *link = consistent(gpu.slot, [number](const Gpu& state) { return load(state.nvlink.links.items[number]); });
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver
