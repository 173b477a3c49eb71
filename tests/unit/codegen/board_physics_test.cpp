// SPDX-License-Identifier: Apache-2.0
// model/board_physics.yaml: what is made of it, and what is refused with its place.
#include "codegen/emit/board_physics.hpp"

#include <gtest/gtest.h>

namespace nvmlab::codegen::test {
namespace {

const std::string kNumbers =
    "awake_permille: 1, active_permille: 2, compute_permille: 3, memory_permille: 4, encoder_mw: 5, rise_mk: 6, "
    "die_permille: 7, memory_rise_mk: 8, sink_us: 9}\n";
const std::string kBoard = "boards:\n  - {board: h100, device: 0x2330, " + kNumbers;

std::string made_of(const std::string& text) {
  const auto made = render_board_physics(*yaml::parse(text, "board_physics.yaml"));
  return made ? *made : made.error().text();
}

TEST(BoardPhysics, RowsBecomeATable) {
  std::string text = kBoard + "families:\n";
  for (const char* family : {"fans", "hbm", "passive"})
    text += std::string("  - {family: ") + family + ", device: 0x0000, " + kNumbers;
  const std::string made = made_of(text);
  EXPECT_NE(made.find("    // h100\n    {0x2330, 1, 2, 3, 4, 5, 6, 7, 8, 9},\n"), std::string::npos) << made;
  EXPECT_NE(made.find("BoardPhysics kWithHbm = {0x0000, 1, 2, 3, 4, 5, 6, 7, 8, 9};"), std::string::npos) << made;
}

TEST(BoardPhysics, WhatIsRefusedAndWhere) {
  EXPECT_EQ(made_of("boards: []\n"),
            "board_physics.yaml:1:1: 'boards' and 'families' were expected, each a list of rows");
  EXPECT_EQ(made_of("boards:\n  - {board: h100}\nfamilies: []\n"), "board_physics.yaml:2:5: 'device' is missing");
  EXPECT_EQ(made_of("boards:\n  - {board: h100, device: H100, " + kNumbers + "families: []\n"),
            "board_physics.yaml:2:27: 'device' takes a number");
  EXPECT_EQ(made_of(kBoard + "families: []\n"), "board_physics.yaml:3:11: family 'hbm' is missing");
}

}  // namespace
}  // namespace nvmlab::codegen::test
