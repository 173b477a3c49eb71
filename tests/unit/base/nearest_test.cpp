// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.hpp"

#include <gtest/gtest.h>

namespace nvmlab {
namespace {

const std::vector<std::string> kWords = {"draw_mw", "limit_mw", "enabled", "disabled"};

TEST(Nearest, SmallMistakesAreForgiven) {
  EXPECT_EQ(nearest("drw_mw", kWords), "draw_mw");   // a letter missing
  EXPECT_EQ(nearest("darw_mw", kWords), "draw_mw");  // two swapped
  EXPECT_EQ(nearest("Draw-MW", kWords), "draw_mw");  // case and dash cost nothing
  EXPECT_EQ(nearest("enbled", kWords), "enabled");
  EXPECT_EQ(nearest("power", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kWords), "");  // and takes no time
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, HintsNameTheWordsWhenNoneIsNear) {
  EXPECT_EQ(hint("drw_mw", kWords, "its fields"), "did you mean 'draw_mw'?");
  EXPECT_EQ(hint("volcano", {"a", "b"}, "they"), "they are: a, b");
  EXPECT_EQ(hint("volcano", {"a", "b", "c"}, "they", 2), "they are: a, b and 1 more");
}

TEST(Nearest, SimilarWordsHoldTheWordOrAreNear) {
  const std::vector<std::string> names = {"a10g", "a100-sxm4-40gb", "dgx-a100", "dgx-h100", "t4"};
  EXPECT_EQ(similar("a100", names), (std::vector<std::string>{"a100-sxm4-40gb", "dgx-a100", "a10g"}));
  EXPECT_EQ(similar("DGX_A", names), (std::vector<std::string>{"dgx-a100"}));
  EXPECT_EQ(similar("a100", names, 1), (std::vector<std::string>{"a100-sxm4-40gb"}));
  EXPECT_EQ(similar("volcano", names), std::vector<std::string>());
  EXPECT_EQ(similar("x", {"x1", "ax", "six"}), (std::vector<std::string>{"x1"})) << "a letter is in most names";
  EXPECT_EQ(did_you_mean({"a", "b", "c"}), "did you mean 'a', 'b' or 'c'?");
  EXPECT_EQ(did_you_mean({}), "");
}

TEST(Nearest, QuotesAreSafeToPrint) {
  EXPECT_EQ(in_quotes("plain"), "'plain'");
  EXPECT_EQ(in_quotes("a\x1b[31m\n\x7f"),
            "'a?[31m?"
            "?'");
  EXPECT_EQ(in_quotes(std::string(61, 'a')), "'" + std::string(60, 'a') + "...'");
  // Never half of a character.
  EXPECT_EQ(in_quotes(std::string(59, 'a') + "\xC3\xA4\xC3\xA4"), "'" + std::string(59, 'a') + "...'");
}

}  // namespace
}  // namespace nvmlab
