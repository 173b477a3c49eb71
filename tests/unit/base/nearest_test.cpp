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
