// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <gtest/gtest.h>

#include "base/located_error.hpp"

namespace nvmlab {
namespace {

TEST(Text, UpperHex) {
  EXPECT_EQ(upper_hex("00000000:af:00.0"), "00000000:AF:00.0");
  EXPECT_EQ(upper_hex("xyz"), "xyz");
}

TEST(Text, WholeNumbers) {
  EXPECT_EQ(whole_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* none : {"", "-1", "1 ", "0x1", "18446744073709551616"})
    EXPECT_EQ(whole_number(none), std::nullopt) << none;
}

TEST(Text, LastPart) {
  EXPECT_EQ(last_part("a/b/c.xml"), "c.xml");
  EXPECT_EQ(last_part("c.xml"), "c.xml");
  EXPECT_EQ(last_part("a/"), "");
}

TEST(Text, Utf8) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("\xC3\xA4"), 2U);
  EXPECT_EQ(utf8_length("\xE2\x82\xAC"), 3U);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98\x80"), 4U);
  EXPECT_EQ(utf8_length("\xC0\x80"), 0U) << "overlong";
  EXPECT_EQ(utf8_length("\xED\xA0\x80"), 0U) << "half a pair";
  EXPECT_EQ(utf8_length("\xF4\x90\x80\x80"), 0U) << "beyond Unicode";
  EXPECT_EQ(utf8_length("\xE2\x82"), 0U) << "cut off";
}

TEST(LocatedError, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ((LocatedError{"a.xml", 3, 7, "odd"}).text(), "a.xml:3:7: odd");
  EXPECT_EQ((LocatedError{"a.xml", 3, 0, "odd"}).text(), "a.xml:3: odd");
  EXPECT_EQ((LocatedError{"a.xml", 0, 0, "odd"}).text(), "a.xml: odd");
  EXPECT_EQ((LocatedError{"", 0, 0, "odd"}).text(), "odd");
}

}  // namespace
}  // namespace nvmlab
