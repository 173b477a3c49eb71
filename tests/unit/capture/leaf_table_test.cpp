// SPDX-License-Identifier: Apache-2.0
//
// A table of facts says what the capture said, also where a value holds a tab or a line end.
#include "support/leaf_table.hpp"

#include <gtest/gtest.h>

namespace nvmlab::test {
namespace {

capture::Capture sample() {
  capture::Capture capture;
  capture.leaves = {{capture::node, "timestamp", "now", 4}, {0, "odd", "a\tb\\c\nd", 5}, {7, "empty", "", 6}};
  return capture;
}

TEST(LeafTable, ReadsWhatItWrote) {
  const auto text = write_table(sample(), "board", "some/file.xml");
  EXPECT_TRUE(looks_like_table(text));
  const auto table = read_table(text, "board.tsv");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->board, "board");
  EXPECT_EQ(table->source, "some/file.xml");
  ASSERT_EQ(table->leaves.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(table->leaves[i].gpu, sample().leaves[i].gpu);
    EXPECT_EQ(table->leaves[i].path, sample().leaves[i].path);
    EXPECT_EQ(table->leaves[i].value, sample().leaves[i].value);
  }
}

TEST(LeafTable, RefusesOtherLines) {
  for (const auto* line : {"a\tb\n", "a\t0\tleaf\tvalue\n", "a\tx\tleaf\tvalue\tsource\n",
                           "a\t0\tleaf\tvalue\tsource\tmore\n", "a\t-2\tleaf\tvalue\tsource\n"}) {
    const auto table = read_table(std::string{"# remark\n"} + line, "t.tsv");
    ASSERT_FALSE(table) << line;
    EXPECT_TRUE(table.error().text().starts_with("t.tsv:2:1:")) << table.error().text();
  }
}

TEST(LeafTable, ACaptureIsNoTable) { EXPECT_FALSE(looks_like_table("<nvidia_smi_log/>")); }

}  // namespace
}  // namespace nvmlab::test
