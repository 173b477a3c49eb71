// SPDX-License-Identifier: Apache-2.0
// model/chips.yaml: what is made of it, and what is refused with its place.
#include "codegen/emit/chips.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

const std::string kAda = "architectures:\n  ada: {compute_capability: \"8.9\", repairs: rows}\n";

Result<std::string> rendered(const std::string& text) {
  static const Inputs inputs{{}, committed_registry(), {}, *view(committed_registry()), {}};
  return render_chips(inputs, *yaml::parse(text, "chips.yaml"));
}

std::string problem(const std::string& text) {
  const auto made = rendered(text);
  return made ? "none" : made.error().text();
}

TEST(Chips, RowsBecomeATable) {
  const auto made = rendered(
      "architectures:\n  hopper: {compute_capability: \"9.0\", nvlink: \"4.0\", repairs: rows, datacenter_only: yes}\n"
      "chips:\n  gh100: {ids: [0x2300, 0x23FF], architecture: hopper, compute_capability: \"9.0\"}\n");
  ASSERT_TRUE(made) << made.error().text();
  for (const char* part : {".number = 9,", ".nvlink_version = 6,", ".repairs = MemoryRepair::rows,",
                           ".first_id = 0x2300,", ".family = \"hopper\",", ".compute_capability = 90,"})
    EXPECT_NE(made->find(part), std::string::npos) << part;
}

TEST(Chips, WhatIsRefusedAndWhere) {
  EXPECT_EQ(problem("chips: {}\n"), "chips.yaml:1:1: 'architectures' and 'chips' were expected, with a row for each");
  EXPECT_EQ(problem("architectures:\n  fermi: {compute_capability: \"2.0\", repairs: pages}\nchips: {}\n"),
            "chips.yaml:2:10: 'fermi' is no architecture of NVML");
  EXPECT_EQ(problem("architectures:\n  ada: {compute_capability: new, repairs: rows}\nchips: {}\n"),
            "chips.yaml:2:8: 'new' is no compute capability such as 8.6");
  EXPECT_EQ(problem(kAda + "chips:\n  x: {ids: [0x2300, 0x23FF], architecture: hopper, compute_capability: \"9.0\"}\n"),
            "chips.yaml:4:6: 'hopper' is none of the architectures above");
  EXPECT_EQ(problem(kAda + "chips:\n  x: {ids: [0x2, 0x1], architecture: ada, compute_capability: \"8.9\"}\n"),
            "chips.yaml:4:12: PCI device ids go from 0x0000 to 0xFFFF, the lower one first");
  EXPECT_EQ(problem(kAda + "chips:\n  x: {ids: [0x1, 0x9], architecture: ada, compute_capability: \"8.9\"}\n"
                           "  y: {ids: [0x9, 0xA], architecture: ada, compute_capability: \"8.9\"}\n"),
            "chips.yaml:5:6: device ids of 'y' are another chip's");
  EXPECT_EQ(problem(kAda + "chips:\n  x: {ids: [0x1, 0x9], chip: ada}\n"),
            "chips.yaml:4:24: 'chip' is not one of ids, architecture, compute_capability, family, datacenter_only");
}

}  // namespace
}  // namespace nvmlab::codegen::test
