// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/topology/path.hpp"

#include <gtest/gtest.h>

namespace nvmlab {
namespace {

constexpr std::uint32_t kGpu = 0;
constexpr std::uint32_t kSwitch = 2;

Topology at(std::uint32_t numa, std::uint32_t root, std::uint32_t pcie_switch) {
  Topology topology{};
  topology.numa_node.set(numa);
  topology.root_complex.set(root);
  topology.pcie_switch.set(pcie_switch);
  return topology;
}

TEST(PciPath, TheNearestThingInCommonDecides) {
  const Topology here = at(0, 10, 100);
  EXPECT_EQ(pci_path(here, at(0, 10, 100)), PathLevel::same_switch);
  EXPECT_EQ(pci_path(here, at(0, 10, 101)), PathLevel::host_bridge);
  EXPECT_EQ(pci_path(here, at(0, 11, 101)), PathLevel::numa_node);
  EXPECT_EQ(pci_path(here, at(1, 11, 101)), PathLevel::system);
}

TEST(PciPath, SwitchesThatHangOnOneAreCloserThanTheirHostBridge) {
  Topology here = at(0, 10, 100);
  Topology there = at(0, 10, 101);
  here.upper_pcie_switch.set(7);
  there.upper_pcie_switch.set(7);
  EXPECT_EQ(pci_path(here, there), PathLevel::several_switches);
  EXPECT_EQ(pci_path(here, here), PathLevel::same_switch);
  there.upper_pcie_switch.set(8);
  EXPECT_EQ(pci_path(here, there), PathLevel::host_bridge);
}

TEST(PciPath, IsTheSameBothWays) {
  const Topology places[] = {at(0, 0, 0), at(0, 0, 1), at(0, 1, 2), at(1, 2, 3), Topology{}};
  for (const Topology& a : places) {
    for (const Topology& b : places)
      EXPECT_EQ(pci_path(a, b), pci_path(b, a));
  }
}

// Two boards of which nothing is known have nothing in common: zeroes that nobody stated do not match.
TEST(PciPath, WhatNobodyStatedMatchesNothing) {
  EXPECT_EQ(pci_path(Topology{}, Topology{}), PathLevel::system);
  EXPECT_EQ(pci_path(at(0, 0, 0), Topology{}), PathLevel::system);
  Topology numa_only{};
  numa_only.numa_node.set(3);
  EXPECT_EQ(pci_path(numa_only, numa_only), PathLevel::numa_node);
}

Nvlink links(std::uint32_t count, std::uint32_t type, std::uint32_t bus, bool active = true) {
  Nvlink nvlink{};
  nvlink.links.count = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    nvlink.links[i].active.set(active ? 1 : 0);
    nvlink.links[i].remote_type.set(type);
    nvlink.links[i].remote_domain.set(0);
    nvlink.links[i].remote_bus.set(bus);
    nvlink.links[i].remote_device.set(0);
  }
  return nvlink;
}

Pci bus(std::uint32_t number, std::uint32_t domain = 0) {
  Pci pci{};
  pci.domain.set(domain);
  pci.bus.set(number);
  pci.device.set(0);
  return pci;
}

struct LinkEnd {
  Nvlink nvlink;
  Pci pci;
};

std::uint32_t nvlinks_between(const LinkEnd& a, const LinkEnd& b) {
  return nvmlab::nvlinks_between(count_links(a.nvlink, b.pci), switched_links(b.nvlink));
}

TEST(Nvlinks, DirectLinksAreThoseThatEndAtTheOther) {
  const LinkEnd a = {links(4, kGpu, 7), bus(6)};
  const LinkEnd b = {links(4, kGpu, 6), bus(7)};
  const LinkEnd c = {links(4, kGpu, 9), bus(8)};
  EXPECT_EQ(nvlinks_between(a, b), 4U);
  EXPECT_EQ(nvlinks_between(b, a), 4U);
  EXPECT_EQ(nvlinks_between(a, c), 0U);
  EXPECT_EQ(nvlinks_between(a, {links(4, kGpu, 6), bus(7, 1)}), 0U) << "the same bus of another domain";
}

TEST(Nvlinks, ThroughSwitchesTheSmallerNumberCounts) {
  const LinkEnd a = {links(12, kSwitch, 0xC4), bus(6)};
  const LinkEnd b = {links(10, kSwitch, 0xC5), bus(7)};
  EXPECT_EQ(nvlinks_between(a, b), 10U);
  EXPECT_EQ(nvlinks_between(b, a), 10U);
  EXPECT_EQ(nvlinks_between(a, {Nvlink{}, bus(8)}), 0U) << "a GPU without links is not reached";
  EXPECT_EQ(switched_links(a.nvlink), 12U);
  EXPECT_EQ(switched_links(links(4, kGpu, 7)), 0U);
}

TEST(Nvlinks, LinksThatAreDownDoNotCount) {
  const LinkEnd down = {links(12, kSwitch, 0xC4, false), bus(6)};
  EXPECT_EQ(switched_links(down.nvlink), 0U);
  EXPECT_EQ(nvlinks_between(down, {links(12, kSwitch, 0xC4), bus(7)}), 0U);
  EXPECT_EQ(nvlinks_between({links(4, kGpu, 7, false), bus(6)}, {links(4, kGpu, 6), bus(7)}), 0U);
  LinkEnd some = {links(12, kSwitch, 0xC4), bus(6)};
  some.nvlink.links[3].active.set(0);
  some.nvlink.links[5].active.set_error(15);
  EXPECT_EQ(switched_links(some.nvlink), 10U);
}

TEST(Nvlinks, ADamagedCountLeadsNowhere) {
  LinkEnd damaged = {links(18, kSwitch, 0xC4), bus(6)};
  damaged.nvlink.links.count = 0xFFFFFFFF;
  EXPECT_LE(switched_links(damaged.nvlink), decltype(Nvlink::links)::capacity);
}

}  // namespace
}  // namespace nvmlab
