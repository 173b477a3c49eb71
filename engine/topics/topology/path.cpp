// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/topology/path.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kRemoteGpu = 0;
constexpr std::uint32_t kRemoteSwitch = 2;

bool same(const Fact<std::uint32_t>& a, const Fact<std::uint32_t>& b) {
  return a.has_value() && b.has_value() && a.value == b.value;
}

bool up(const Nvlink::Link& link) { return link.active.value_or(0) == 1; }

std::uint32_t links_to(const Nvlink& nvlink, const Pci& other) {
  std::uint32_t count = 0;
  for (const Nvlink::Link& link : nvlink.links) {
    const bool ends_there = link.remote_type.value_or(kRemoteSwitch) == kRemoteGpu &&
                            link.remote_domain.value_or(0) == other.domain.value && same(link.remote_bus, other.bus) &&
                            link.remote_device.value_or(0) == other.device.value;
    if (up(link) && ends_there) ++count;
  }
  return count;
}

}  // namespace

PathLevel pci_path(const Topology& a, const Topology& b) {
  if (same(a.pcie_switch, b.pcie_switch)) return PathLevel::same_switch;
  if (same(a.upper_pcie_switch, b.upper_pcie_switch)) return PathLevel::several_switches;
  if (same(a.root_complex, b.root_complex)) return PathLevel::host_bridge;
  return same(a.numa_node, b.numa_node) ? PathLevel::numa_node : PathLevel::system;
}

std::uint32_t switched_links(const Nvlink& nvlink) {
  std::uint32_t count = 0;
  for (const Nvlink::Link& link : nvlink.links) {
    if (up(link) && link.remote_type.has_value() && link.remote_type.value == kRemoteSwitch) ++count;
  }
  return count;
}

std::uint32_t nvlinks_between(const LinkEnd& a, const LinkEnd& b) {
  const std::uint32_t direct = links_to(a.nvlink, b.pci);
  if (direct > 0) return direct;
  const std::uint32_t of_a = switched_links(a.nvlink);
  const std::uint32_t of_b = switched_links(b.nvlink);
  return of_a < of_b ? of_a : of_b;
}

}  // namespace nvmlab
