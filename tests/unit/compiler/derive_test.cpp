// SPDX-License-Identifier: Apache-2.0
#include "compiler/derive.hpp"

#include <gtest/gtest.h>

#include <set>

#include "compiler/compile.hpp"
#include "engine/store/identity.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

class Derive : public testing::Test {
 protected:
  Machine make(const std::string& topics, const std::string& gpus) {
    constexpr const char* head = "sources: {s: {kind: assumed, why: x}}\nsource: s\n";
    scratch_.file("g.yaml", std::string("profile: g\n") + head + "system: {driver_version: 550.163.01}\n" + topics);
    auto made = compile(scratch_.file("m.yaml", std::string("machine: m\n") + head + "gpus: " + gpus + "\n"));
    EXPECT_TRUE(made) << describe(made.error());
    return made ? std::move(*made) : Machine{};
  }
  test::Scratch scratch_;
};

// As the engine derives it (tests/unit/machine/identity_test.cpp).
std::string derived_uuid(const char* machine, std::uint32_t index) {
  Text<96> text{};
  derive_uuid(machine, index, &text);
  return text.data;
}

TEST_F(Derive, WhatProfilesLeaveOpen) {
  const Machine machine = make("", "[{profile: g, count: 3}]");
  ASSERT_EQ(machine.gpu_count(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Gpu& gpu = machine.gpu(i);
    EXPECT_EQ(gpu.identity.uuid.data, derived_uuid("m", i));
    EXPECT_EQ(gpu.identity.minor_number.value_or(9), i);
    EXPECT_EQ(gpu.pci.domain.value_or(9), 0u);
    EXPECT_EQ(gpu.pci.bus.value_or(9), 1 + i);
    EXPECT_EQ(gpu.pci.device.value_or(9), 0u);
    EXPECT_FALSE(gpu.identity.serial.has_value());  // a board may have none
    EXPECT_EQ(machine.provenance.find(i, *find_field("identity.uuid"))->kind, "derived");
    EXPECT_EQ(machine.provenance.find(i, *find_field("pci.bus"))->kind, "derived");
  }
}

TEST_F(Derive, AProfilesIdentityIsTheFirstGpus) {
  const Machine machine = make(
      "identity: {uuid: GPU-00000001-0000-4000-8000-000000000001, serial: A0099, pdi: 5, minor_number: 0, module_id: "
      "3}\n"
      "pci: {bus: 0xFE, device: 2}\nfabric: {gpu_fabric_guid: 000000000000000000000000000000FF}\n",
      "[{profile: g, count: 4}]");
  EXPECT_STREQ(machine.gpu(0).identity.uuid.data, "GPU-00000001-0000-4000-8000-000000000001");
  EXPECT_EQ(machine.provenance.find(0, *find_field("identity.uuid"))->kind, "assumed");
  EXPECT_EQ(machine.gpu(1).identity.uuid.data, derived_uuid("m", 1));
  EXPECT_EQ(machine.provenance.find(1, *find_field("identity.uuid"))->kind, "derived");
  EXPECT_STREQ(machine.gpu(0).identity.serial.data, "A0099");
  EXPECT_STREQ(machine.gpu(1).identity.serial.data, "A0100");
  EXPECT_STREQ(machine.gpu(3).identity.serial.data, "A0102");
  EXPECT_EQ(machine.gpu(0).identity.pdi.value_or(0), 5u);
  EXPECT_NE(machine.gpu(1).identity.pdi.value_or(5), 5u);
  EXPECT_EQ(machine.gpu(2).identity.minor_number.value_or(9), 2u);
  EXPECT_EQ(machine.gpu(2).identity.module_id.value_or(9), 5u);
  EXPECT_EQ(machine.gpu(1).fabric.gpu_fabric_guid.data[15], 0);
  EXPECT_EQ(machine.gpu(1).fabric.gpu_fabric_guid.data[14], 1);
  // Bus after bus, then the next domain.
  const std::uint32_t wanted[][2] = {{0, 0xFE}, {0, 0xFF}, {1, 1}, {1, 2}};
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(machine.gpu(i).pci.device.value_or(9), 2u);
    seen.insert({machine.gpu(i).pci.domain.value, machine.gpu(i).pci.bus.value});
  }
  for (const auto& [domain, bus] : wanted)
    EXPECT_TRUE(seen.contains({domain, bus})) << domain << ":" << bus;
}

TEST_F(Derive, StatedAddressesAreLeftFree) {
  const Machine machine = make("pci: {bus: 5}\n", "[{profile: g}, {profile: g}, {profile: g, pci: {bus: 6}}]");
  EXPECT_EQ(machine.gpu(0).pci.bus.value_or(0), 5u);
  EXPECT_EQ(machine.gpu(1).pci.bus.value_or(0), 7u);
  EXPECT_EQ(machine.gpu(2).pci.bus.value_or(0), 6u);
}

TEST_F(Derive, AnItemsIdentityIsThatOfItsFirstGpu) {
  const Machine machine = make("identity: {serial: 900, module_id: 3}\n",
                               "[{profile: g, count: 2}, {profile: g, count: 2, identity: {serial: 100, pdi: 7}, "
                               "pci: {bus: 0x40}}]");
  EXPECT_STREQ(machine.gpu(1).identity.serial.data, "901");
  EXPECT_STREQ(machine.gpu(2).identity.serial.data, "100");
  EXPECT_STREQ(machine.gpu(3).identity.serial.data, "101");
  EXPECT_EQ(machine.gpu(2).identity.pdi.value_or(0), 7u);
  EXPECT_NE(machine.gpu(3).identity.pdi.value_or(7), 7u);
  EXPECT_EQ(machine.gpu(3).identity.module_id.value_or(0), 6u) << "the profile's, and the fourth GPU of the machine";
  EXPECT_EQ(machine.gpu(2).pci.bus.value_or(0), 0x40u);
  EXPECT_EQ(machine.gpu(3).pci.bus.value_or(0), 0x41u);
  EXPECT_EQ(machine.provenance.find(2, *find_field("identity.serial"))->kind, "assumed");
  EXPECT_EQ(machine.provenance.find(3, *find_field("identity.serial"))->kind, "derived");
}

TEST_F(Derive, WhatIsRefusedOnPurposeStaysRefused) {
  const Machine machine =
      make("identity: {uuid: {answer: UNKNOWN}, minor_number: null}\npci: {bus: null}\n", "[{profile: g, count: 2}]");
  for (const std::uint32_t i : {0u, 1u}) {
    EXPECT_EQ(machine.gpu(i).identity.uuid.code(), 999u);
    EXPECT_EQ(machine.gpu(i).identity.minor_number.code(), kNotSupported);
    EXPECT_EQ(machine.gpu(i).pci.bus.code(), kNotSupported);
  }
}

}  // namespace
}  // namespace nvmlab::compiler
