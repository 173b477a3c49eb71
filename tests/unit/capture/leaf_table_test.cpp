// SPDX-License-Identifier: Apache-2.0
//
// A table of facts says what the capture said, also where a value holds a tab or a line end.
#include "tests/support/leaf_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace nvmlab::test {
namespace {

capture::Capture sample() {
  capture::Capture capture;
  capture.leaves = {{capture::node, "timestamp", "now", 4},
                    {0, "odd", "a\tb\\c\nd", 5},
                    {0, "same", "s", 6},
                    {0, "first", "f", 7},
                    {1, "odd", "other", 8},
                    {1, "same", "s", 9},
                    {1, "empty", "", 10},
                    {2, "odd", "a\tb\\c\nd", 11},
                    {2, "same", "s", 12},
                    {2, "first", "f", 13}};
  return capture;
}

TEST(LeafTable, ReadsWhatItWrote) {
  const auto text = write_table(sample(), "board", "some/file.xml");
  EXPECT_TRUE(looks_like_table(text));
  const auto table = read_table(text, "board.tsv");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->board, "board");
  EXPECT_EQ(table->source, "some/file.xml");
  ASSERT_EQ(table->leaves.size(), sample().leaves.size());
  for (const auto& leaf : sample().leaves) {
    const auto found = std::ranges::find_if(
        table->leaves, [&](const auto& other) { return other.gpu == leaf.gpu && other.path == leaf.path; });
    ASSERT_NE(found, table->leaves.end()) << leaf.gpu << " " << leaf.path;
    EXPECT_EQ(found->value, leaf.value);
  }
}

TEST(LeafTable, SaysWhatGpusHaveAlikeOnce) {
  const auto text = write_table(sample(), "board", "some/file.xml");
  EXPECT_EQ(text.find("\n1\tsame"), std::string::npos);
  EXPECT_NE(text.find("\n1\tfirst\n"), std::string::npos) << "GPU 1 lacks it";
  EXPECT_EQ(text.find("\n2\t"), std::string::npos) << "GPU 2 is like GPU 0";
}

TEST(LeafTable, RefusesOtherLines) {
  for (const auto* line : {"a\tb\n", "0\n", "0\tleaf\n", "-1\tleaf\n", "x\tleaf\tvalue\n", "0\tleaf\tvalue\tmore\n",
                           "-2\tleaf\tvalue\n", "2\tleaf\tvalue\n"}) {
    const auto table = read_table(std::string{"# gpus: 2\n"} + line, "t.tsv");
    ASSERT_FALSE(table) << line;
    EXPECT_TRUE(table.error().text().starts_with("t.tsv:2:1:")) << table.error().text();
  }
  EXPECT_FALSE(read_table("# gpus: many\n", "t.tsv"));
}

TEST(LeafTable, ACaptureIsNoTable) { EXPECT_FALSE(looks_like_table("<nvidia_smi_log/>")); }

}  // namespace
}  // namespace nvmlab::test
