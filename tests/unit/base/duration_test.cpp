// SPDX-License-Identifier: Apache-2.0
#include "base/duration.hpp"

#include <gtest/gtest.h>

#include <string>

namespace nvmlab {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(Duration, NumbersWithUnits) {
  EXPECT_EQ(parse_duration("1h"), 3600 * kSecond);
  EXPECT_EQ(parse_duration("10m"), 600 * kSecond);
  EXPECT_EQ(parse_duration("250ms"), kSecond / 4);
  EXPECT_EQ(parse_duration("7us"), 7'000U);
  EXPECT_EQ(parse_duration("0s"), 0U);
  EXPECT_EQ(parse_duration("1d"), 86'400 * kSecond);
}

TEST(Duration, SumsAndFractions) {
  EXPECT_EQ(parse_duration("1h30m"), 5400 * kSecond);
  EXPECT_EQ(parse_duration("1m1s1ms1us1ns"), 61 * kSecond + 1'001'001);
  EXPECT_EQ(parse_duration("1.5s"), kSecond * 3 / 2);
  EXPECT_EQ(parse_duration("0.25h"), 900 * kSecond);
  EXPECT_EQ(parse_duration("1.0ns"), 1U);
}

TEST(Duration, TheLongest) {
  EXPECT_EQ(parse_duration("18446744073709551615ns"), ~std::uint64_t{0});
  for (const char* text : {"18446744073709551616ns", "213504d", "99999999999999999999999s", "213503d24h"}) {
    const auto read = parse_duration(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().find("213503 days"), std::string::npos) << read.error();
  }
}

TEST(Duration, SaysWhereItIsWrong) {
  const auto said = [](const char* text) {
    const auto read = parse_duration(text);
    return read ? std::string("nothing") : read.error();
  };
  EXPECT_EQ(said("10"), "'10': a unit (ns, us, ms, s, m, h or d) was expected at character 3, as in 1h30m or 250ms");
  EXPECT_EQ(said(""), "'': a number was expected at character 1, as in 1h30m or 250ms");
  EXPECT_EQ(said("-1h"), "'-1h': a number was expected at character 1, as in 1h30m or 250ms");
  EXPECT_EQ(said("1hour"),
            "'1hour': a unit (ns, us, ms, s, m, h or d) was expected at character 2, as in 1h30m or 250ms");
  EXPECT_EQ(said("1.s"), "'1.s': a digit was expected at character 3, as in 1h30m or 250ms");
  EXPECT_EQ(said("1h 5m"),
            "'1h 5m': a unit (ns, us, ms, s, m, h or d) was expected at character 2, as in 1h30m or 250ms");
  EXPECT_EQ(said("1.5ns"), "'1.5ns': that is no whole number of nanoseconds");
}

}  // namespace
}  // namespace nvmlab
