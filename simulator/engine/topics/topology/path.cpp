// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/topology/path.hpp"

#include "engine/store/words.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kRemoteGpu = 0;
constexpr std::uint32_t kRemoteSwitch = 2;

bool same(const Fact<std::uint32_t>& a, const Fact<std::uint32_t>& b) {
  return a.has_value() && b.has_value() && a.value == b.value;
}

bool up(const Nvlink::Link& link) { return load(link.active).value_or(0) == 1; }

bool ends_at_switch(const Nvlink::Link& link) {
  const Fact<std::uint32_t> type = load(link.remote_type);
  return type.has_value() && type.value == kRemoteSwitch;
}

bool ends_at(const Nvlink::Link& link, const Pci& other) {
  return load(link.remote_type).value_or(kRemoteSwitch) == kRemoteGpu &&
         load(link.remote_domain).value_or(0) == other.domain.value && same(load(link.remote_bus), other.bus) &&
         load(link.remote_device).value_or(0) == other.device.value;
}

}  // namespace

PathLevel pci_path(const Topology& a, const Topology& b) {
  if (same(a.pcie_switch, b.pcie_switch)) return PathLevel::same_switch;
  if (same(a.upper_pcie_switch, b.upper_pcie_switch)) return PathLevel::several_switches;
  if (same(a.root_complex, b.root_complex)) return PathLevel::host_bridge;
  return same(a.numa_node, b.numa_node) ? PathLevel::numa_node : PathLevel::system;
}

LinkCount count_links(const Nvlink& nvlink, const Pci& other, std::uint32_t first) {
  LinkCount count{};
  for (std::uint32_t i = 0; i < length_of(nvlink.links) && i < first; ++i) {
    const Nvlink::Link& link = nvlink.links.items[i];
    if (!up(link)) continue;
    count.to_other += ends_at(link, other) ? 1 : 0;
    count.to_switches += ends_at_switch(link) ? 1 : 0;
  }
  return count;
}

std::uint32_t switched_links(const Nvlink& nvlink, std::uint32_t first) {
  return count_links(nvlink, {}, first).to_switches;
}

std::uint32_t nvlinks_between(const LinkCount& of_one, std::uint32_t switched_links_of_other) {
  if (of_one.to_other > 0) return of_one.to_other;
  return of_one.to_switches < switched_links_of_other ? of_one.to_switches : switched_links_of_other;
}

}  // namespace nvmlab
