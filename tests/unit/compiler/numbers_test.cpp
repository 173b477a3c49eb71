// SPDX-License-Identifier: Apache-2.0
#include "compiler/numbers.hpp"

#include <gtest/gtest.h>

namespace nvmlab::compiler {
namespace {

TEST(Numbers, AsPeopleWriteThem) {
  const struct {
    const char* text;
    bool negative;
    std::uint64_t magnitude;
  } cases[] = {
      {"0", false, 0},
      {"-0", false, 0},
      {"+7", false, 7},
      {"-8", true, 8},
      {"0x1EB8", false, 0x1EB8},
      {"0XffFF", false, 0xFFFF},
      {"700_000", false, 700000},
      {"0xFFFF_0000", false, 0xFFFF0000},
      {"18446744073709551615", false, 18446744073709551615u},
      {"007", false, 7},
  };
  for (const auto& one : cases) {
    auto number = parse_number(one.text);
    ASSERT_TRUE(number) << one.text;
    EXPECT_EQ(number->negative, one.negative) << one.text;
    EXPECT_EQ(number->magnitude, one.magnitude) << one.text;
  }
}

TEST(Numbers, WhatIsNone) {
  for (const char* text :
       {"", "-", "x", "1x", "0x", "0xG", "1.5", "1e3", "_1", "1_", "1__0", " 1", "1 ", "--1", "0b1", "N/A"}) {
    auto number = parse_number(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error(), "'" + std::string(text) + "' is not a whole number");
  }
  EXPECT_EQ(parse_number("18446744073709551616").error(),
            "'18446744073709551616' is larger than any number here (18446744073709551615)");
  const std::string huge(5000, '9');
  EXPECT_EQ(parse_number(huge).error(),
            "'" + std::string(60, '9') + "...' is larger than any number here (18446744073709551615)");
}

TEST(Numbers, BytesWithUnits) {
  EXPECT_EQ(parse_quantity("81559 MiB", "B")->magnitude, 81559ull << 20);
  EXPECT_EQ(parse_quantity("81559MiB", "B")->magnitude, 81559ull << 20);
  EXPECT_EQ(parse_quantity("64 GiB", "B")->magnitude, 64ull << 30);
  EXPECT_EQ(parse_quantity("3 KiB", "B")->magnitude, 3072u);
  EXPECT_EQ(parse_quantity("479.5 MiB", "B")->magnitude, 479ull * 1048576 + 524288);
  EXPECT_EQ(parse_quantity("0.25 KiB", "B")->magnitude, 256u);
  EXPECT_EQ(parse_quantity("4096", "B")->magnitude, 4096u);
  EXPECT_EQ(parse_quantity("0.1 MiB", "B").error(), "'0.1 MiB' is no whole number of bytes");
  EXPECT_EQ(parse_quantity("0.0000000001 MiB", "B").error(), "'0.0000000001 MiB' has more than nine decimal places");
  for (const char* text : {"MiB", ".5 MiB", "1. MiB", "1.5", "5 MB", "5 mib", "1.2.3 MiB", "0x10 MiB", "1._5 KiB"}) {
    EXPECT_EQ(parse_quantity(text, "B").error(), "'" + std::string(text) + "' is not a whole number");
  }
  EXPECT_FALSE(parse_quantity("17179869184 GiB", "B"));
  EXPECT_TRUE(parse_quantity("17179869183 GiB", "B"));
}

TEST(Numbers, QuantitiesWithUnits) {
  EXPECT_EQ(parse_quantity("300 W", "mW")->magnitude, 300'000u);
  EXPECT_EQ(parse_quantity("0.3kW", "mW")->magnitude, 300'000u);
  EXPECT_EQ(parse_quantity("1.41 GHz", "MHz")->magnitude, 1410u);
  EXPECT_EQ(parse_quantity("2 h", "us")->magnitude, 7'200'000'000u);
  EXPECT_EQ(parse_quantity("93 %", "0.01 %")->magnitude, 9300u);
  EXPECT_EQ(parse_quantity("12.1 V", "0.01 V")->magnitude, 1210u);
  EXPECT_EQ(parse_quantity("-5 °C", "C").value(), (Number{true, 5}));
  EXPECT_EQ(parse_quantity("300000", "mW")->magnitude, 300'000u);
  EXPECT_EQ(parse_quantity("1_000 W", "W")->magnitude, 1000u);
  EXPECT_EQ(parse_quantity("300 MHz", "mW").error(), "'300 MHz' is in MHz, and a number of mW, W or kW was expected");
  EXPECT_EQ(parse_quantity("0.5 kHz", "MHz").error(), "'0.5 kHz' is no whole number of MHz");
  EXPECT_EQ(parse_quantity("300 watts", "mW").error(), "'300 watts' is not a whole number");
  EXPECT_EQ(parse_quantity("5 W", "rpm").error(), "'5 W' is not a whole number") << "a unit that has no others";
  EXPECT_FALSE(parse_quantity("18446744073709551615 kW", "mW"));
}

TEST(Numbers, Millionths) {
  EXPECT_EQ(*parse_millionths("12.65625"), 12'656'250U);
  EXPECT_EQ(*parse_millionths("7.5"), 7'500'000U);
  EXPECT_EQ(*parse_millionths("0.000001"), 1U);
  EXPECT_EQ(*parse_millionths("15"), 15'000'000U);
  EXPECT_EQ(*parse_millionths("0x10"), 16'000'000U);
  for (const char* text : {"", "-1", "-1.5", ".5", "1.", "1.0000001", "1._5", "1.5.2", "x", "0x1.8", "18446744073710",
                           "18446744073709.551616"}) {
    EXPECT_FALSE(parse_millionths(text)) << text;
  }
  EXPECT_TRUE(parse_millionths("18446744073709.551615"));
}

}  // namespace
}  // namespace nvmlab::compiler
