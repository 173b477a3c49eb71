// SPDX-License-Identifier: Apache-2.0
// How two GPUs reach each other: derived from where each of them sits, so that no matrix can contradict itself.
// Tests: tests/unit/topics/path_test.cpp.
#pragma once

#include "engine/state/generated/state.hpp"

namespace nvmlab {

// In the order of distance.
enum class PathLevel : std::uint8_t { same_switch, several_switches, host_bridge, numa_node, system };

// Over PCI Express alone.
PathLevel pci_path(const Topology& a, const Topology& b);

// Without NVLink, peers reach each other over PCI Express below one host bridge, where both boards let them: `of_a` and
// `of_b` are their pci.peer_access.
constexpr bool reach_over_pci(PathLevel path, const Fact<std::uint32_t>& of_a, const Fact<std::uint32_t>& of_b) {
  return path <= PathLevel::host_bridge && of_a.value_or(1) != 0 && of_b.value_or(1) != 0;
}

// Active links of a GPU: those that end at a certain other one, and those that end at any switch. Both may be asked of
// a store that others write, of the `first` links alone.
struct LinkCount {
  std::uint32_t to_other;
  std::uint32_t to_switches;
};
LinkCount count_links(const Nvlink& nvlink, const Pci& other, std::uint32_t first = decltype(Nvlink::links)::capacity);
std::uint32_t switched_links(const Nvlink& nvlink, std::uint32_t first = decltype(Nvlink::links)::capacity);

// NVLink links from one GPU to another: those that end there, else all links that both have to any switch.
std::uint32_t nvlinks_between(const LinkCount& of_one, std::uint32_t switched_links_of_other);

}  // namespace nvmlab
