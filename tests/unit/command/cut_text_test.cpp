// SPDX-License-Identifier: Apache-2.0
#include "command/compare/cut_text.hpp"

#include <gtest/gtest.h>

#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

TEST(CutText, EndsAndMiddles) {
  EXPECT_EQ(cut_end("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(cut_end("abcdefgh", 7), "abcd...");
  EXPECT_EQ(cut_end("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F\xC3\xA4", 4), "\xC3\xA4...") << "characters stay whole";
  EXPECT_EQ(cut_middle("abcdefghijkl", 12), "abcdefghijkl");
  EXPECT_EQ(cut_middle("abcdefghijkl", 9), "ab...ijkl");
}

TEST(CutText, APairShowsWhereItParts) {
  const std::string alike(40, 'x');
  const auto [a, b] = cut_pair(alike + "A800-001", 20, alike + "0000-001", 20);
  EXPECT_EQ(a, "...xxxxxxxxxA800-001");
  EXPECT_EQ(b, "...xxxxxxxxx0000-001");
  const std::string tail(40, 'y');
  const auto [longer, shorter] = cut_pair(alike + "A" + tail, 20, alike, 20);
  EXPECT_EQ(longer, "...xxAyyyyyyyyyyy...");
  EXPECT_EQ(shorter, "...xx");
}

TEST(CutText, APairThatPartsEarlyKeepsItsBeginning) {
  const std::string tail(40, 'y');
  const auto [a, b] = cut_pair("ab" + tail, 10, "ac" + tail, 10);
  EXPECT_EQ(a, "abyyyyy...");
  EXPECT_EQ(b, "acyyyyy...");
  EXPECT_EQ(cut_pair("same", 10, "same", 10), (std::pair<std::string, std::string>{"same", "same"}));
  EXPECT_EQ(cut_pair("700 W", 5, "600 W", 5), (std::pair<std::string, std::string>{"700 W", "600 W"}));
}

TEST(CutText, NothingIsWiderThanItsColumn) {
  const std::string text = std::string(30, 'x') + "\xC3\xA4" + std::string(30, 'z');
  const std::string other = std::string(30, 'x') + "\xC3\xB6" + std::string(30, 'z');
  for (std::size_t columns = 4; columns < 70; ++columns) {
    const auto [a, b] = cut_pair(text, columns, other, columns);
    EXPECT_LE(width(a), columns);
    EXPECT_LE(width(b), columns);
    EXPECT_NE(static_cast<unsigned char>(a[3]) & 0xC0, 0x80) << "a character was cut in two";
  }
}

}  // namespace
}  // namespace nvmlab::tool
