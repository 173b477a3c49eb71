// SPDX-License-Identifier: Apache-2.0
// How two GPUs reach each other: derived from where each of them sits, so that no matrix can contradict itself.
// Tests: tests/unit/topics/path_test.cpp.
#pragma once

#include "engine/topics/generated/state.hpp"

namespace nvmlab {

// In the order of distance.
enum class PathLevel : std::uint8_t { same_switch, several_switches, host_bridge, numa_node, system };

// Over PCI Express alone.
PathLevel pci_path(const Topology& a, const Topology& b);

// NVLink links between two GPUs: through switches all links that both have to any switch, else those that end at the
// other.
struct LinkEnd {
  Nvlink nvlink;
  Pci pci;
};
std::uint32_t nvlinks_between(const LinkEnd& a, const LinkEnd& b);

// Active links of a GPU that end at a switch.
std::uint32_t switched_links(const Nvlink& nvlink);

}  // namespace nvmlab
