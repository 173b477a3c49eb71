// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/version.hpp"

#include <gtest/gtest.h>

namespace nvmlab::codegen {
namespace {

TEST(Version, IsNumbersAndSingleDots) {
  for (const char* good : {"11.0", "13.3.29", "555.58.02", "7"})
    EXPECT_TRUE(is_version(good)) << good;
  for (const char* bad : {"", ".", "11.", ".1", "1..2", "v11", "11.0-rc1", " 11", "11 "})
    EXPECT_FALSE(is_version(bad)) << bad;
}

TEST(Version, IsOrderedByNumberNotByText) {
  const std::vector<std::string> ordered{"9.99",  "11.0", "11.2",    "11.2.0",    "11.2.2",   "11.8.86",
                                         "11.10", "12.0", "340.108", "555.58.02", "555.58.10"};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(compare_versions(ordered[i], ordered[j]) < 0, i < j) << ordered[i] << " " << ordered[j];
    }
  }
  EXPECT_TRUE(compare_versions("418.226.00", "418.226.0") == 0);
  EXPECT_TRUE(compare_versions("1.99999999999999999999998", "1.99999999999999999999999") < 0)
      << "longer than any integer";
}

TEST(Version, IsFoundByNameOrPrefix) {
  const std::vector<std::string> known{"11.2.0", "11.2.2", "12.0.76", "13.3.29"};
  EXPECT_EQ(resolve_version(known, "11.2.0").value(), "11.2.0");
  EXPECT_EQ(resolve_version(known, "11.2").value(), "11.2.2");
  EXPECT_EQ(resolve_version(known, "13").value(), "13.3.29");
}

TEST(Version, UnknownOnesGetTheNearest) {
  const std::vector<std::string> known{"11.2.0", "12.0.76", "13.3.29"};
  EXPECT_EQ(resolve_version(known, "12.1").error().message,
            "unknown release '12.1'; the nearest known: 12.0.76 and 13.3.29");
  EXPECT_EQ(resolve_version(known, "10").error().message, "unknown release '10'; the nearest known: 11.2.0");
  EXPECT_EQ(resolve_version(known, "14").error().message, "unknown release '14'; the nearest known: 13.3.29");
  EXPECT_EQ(resolve_version(known, "1").error().message, "unknown release '1'; the nearest known: 11.2.0")
      << "1 is not a part of 11";
  EXPECT_NE(resolve_version(known, "new").error().message.find("not a release"), std::string::npos);
  EXPECT_FALSE(resolve_version({}, "1"));
}

}  // namespace
}  // namespace nvmlab::codegen
