// SPDX-License-Identifier: Apache-2.0
// One NVLink link of a GPU, and how many links a driver knows.
#pragma once

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {

// Links that the simulated driver can name. Older ones do not see the rest of a newer chip: nvidia-smi 470 stops with
// an error at a thirteenth link.
std::uint32_t link_limit();

// Links of the chip that the driver sees.
std::uint32_t visible_links(const Gpu& gpu);

// NOT_SUPPORTED for a link that the chip does not have, INVALID_ARGUMENT for one that no chip has: the topology matrix
// of nvidia-smi gives up on anything else.
nvmlReturn_t check_link(const Gpu& gpu, std::uint32_t number);
inline nvmlReturn_t check_link(const GpuSlot& slot, std::uint32_t number) {
  return consistent(slot, [number](const Gpu& gpu) { return check_link(gpu, number); });
}

}  // namespace nvmlab::driver
