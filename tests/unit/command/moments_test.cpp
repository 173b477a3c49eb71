// SPDX-License-Identifier: Apache-2.0
#include "command/machine/moments.hpp"

#include <gtest/gtest.h>

namespace nvmlab::tool {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kNow = 1'800'000'000 * kSecondNs;

TEST(Moments, BeforeNow) {
  EXPECT_EQ(read_moment("90s", kNow), kNow - 90 * kSecondNs);
  EXPECT_EQ(read_moment("15m", kNow), kNow - 900 * kSecondNs);
  EXPECT_EQ(read_moment("1d", kNow), kNow - 86'400 * kSecondNs);
  EXPECT_EQ(read_moment("1h30m", kNow), kNow - 5'400 * kSecondNs);
  EXPECT_EQ(read_moment("200000d", kNow), 0U) << "before all times";
}

TEST(Moments, ByTheCalendar) {
  ::setenv("TZ", "UTC", 1);
  EXPECT_EQ(read_moment("2027-01-15", kNow), 1'799'971'200 * kSecondNs);
  EXPECT_EQ(read_moment("2027-01-15 08:00", kNow), kNow);
  EXPECT_EQ(read_moment("2027-01-15 07:59:59", kNow), kNow - kSecondNs);
}

TEST(Moments, AreToldInTheZoneOfTheUser) {
  ::setenv("TZ", "UTC", 1);
  EXPECT_EQ(local_time(kNow + 1'234'567), "2027-01-15 08:00:00.001234");
}

TEST(Moments, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "s", "-1s", "5", "5w", "2027-13-01", "2027-01-15 8h", "yesterday", "18446744073709551615d"})
    EXPECT_FALSE(read_moment(text, kNow)) << text;
}

}  // namespace
}  // namespace nvmlab::tool
