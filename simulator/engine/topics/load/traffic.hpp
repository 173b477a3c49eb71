// SPDX-License-Identifier: Apache-2.0
// What a load sends over the links of a GPU. Tests: tests/unit/load/growth_test.cpp, load_test.cpp.
#pragma once

#include "engine/state/generated/state.hpp"

namespace nvmlab {

// Kilobytes a second of the PCI Express link as it is, of which each lane moves so many megabits.
inline std::uint32_t pci_traffic_kbps(const Pci& pci, std::uint32_t permille) {
  static constexpr std::uint32_t mbps_of_generation[] = {0, 2000, 4000, 7877, 15754, 31508, 60500};
  const std::uint32_t generation = pci.link_gen_max.value_or(0);
  if (generation == 0 || generation > 6) return 0;
  const std::uint64_t kbps = std::uint64_t{mbps_of_generation[generation]} * pci.link_width_max.value_or(0) * 125;
  return static_cast<std::uint32_t>(kbps * permille / 1000);
}

// Kibibytes a second of payload, each NVLink that is up and each way. Links of one chip are as fast as one another.
inline std::uint32_t link_traffic_kibps(const Nvlink& nvlink, std::uint32_t permille, std::uint32_t sm_percent) {
  for (const Nvlink::Link& link : nvlink.links) {
    if (link.active.value_or(0) == 0) continue;
    const std::uint64_t bytes = std::uint64_t{link.speed_mbps.value_or(0) % 1'000'000} * 1'000'000;
    return static_cast<std::uint32_t>(bytes / 1024 * permille / 1000 * sm_percent / 100);
  }
  return 0;
}

}  // namespace nvmlab
