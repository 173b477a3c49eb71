// SPDX-License-Identifier: Apache-2.0
#include "compiler/chips.hpp"

#include <gtest/gtest.h>

#include "compiler/generated/chips.hpp"
#include "compiler/paths.hpp"
#include "compiler/shipped.hpp"

namespace nvmlab::compiler {
namespace {

TEST(Chips, ByPciDeviceId) {
  ASSERT_NE(find_chip(0x233010DE), nullptr);
  EXPECT_EQ(find_chip(0x233010DE)->name, "gh100");
  EXPECT_EQ(find_chip(0x20B010DE)->family, "ga100");
  EXPECT_EQ(find_chip(0x223510DE)->family, "ampere");
  EXPECT_EQ(find_chip(0x233010DE)->compute_capability, 90U);
  EXPECT_EQ(find_chip(0x10DE), nullptr);
}

TEST(Chips, GenerationsByComputeCapability) {
  EXPECT_EQ(architecture_of(86)->name, "ampere");
  EXPECT_EQ(architecture_of(89)->name, "ada");
  EXPECT_EQ(architecture_of(120)->name, "blackwell");
  EXPECT_EQ(architecture_of(20), nullptr);
  EXPECT_EQ(find_architecture("turing")->nvlink_version, 3U);
  EXPECT_EQ(find_architecture("fermi"), nullptr);
}

// The table agrees with the vocabulary, with itself and with the profiles.
TEST(Chips, NamesLeadSomewhere) {
  const Field& field = *find_field("identity.architecture")->field;
  for (const Architecture& architecture : kArchitectures) {
    bool labelled = false;
    for (std::uint32_t i = 0; i < field.label_count; ++i)
      labelled =
          labelled || (architecture.name == field.labels[i].name && architecture.number == field.labels[i].value);
    EXPECT_TRUE(labelled) << architecture.name;
  }
  for (const Chip& chip : kChips) {
    const Architecture* architecture = find_architecture(chip.architecture);
    ASSERT_NE(architecture, nullptr) << chip.name;
    EXPECT_GE(chip.compute_capability, architecture->compute_capability) << chip.name;
    EXPECT_NE(find_shipped(chip.family), nullptr) << chip.name;
  }
}

}  // namespace
}  // namespace nvmlab::compiler
