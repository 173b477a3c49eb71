// SPDX-License-Identifier: Apache-2.0
#include "recorder/json.hpp"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

namespace nvmlab::recorder {
namespace {

template <class Write>
std::string written(Write&& write) {
  std::string text;
  Json json(text);
  write(json);
  return text;
}

TEST(Json, SeparatesWhatFollowsEachOther) {
  const std::string text = written([](Json& json) {
    json.begin_object();
    json.key("a").number(1);
    json.key("b").begin_array();
    json.integer(-2);
    json.begin_object();
    json.end_object();
    json.null();
    json.begin_array();
    json.end_array();
    json.boolean(true);
    json.end_array();
    json.key("c").text("x");
    json.end_object();
  });
  EXPECT_EQ(text, R"({"a":1,"b":[-2,{},null,[],true],"c":"x"})");
}

TEST(Json, NumbersAreWhole) {
  EXPECT_EQ(written([](Json& json) { json.number(0); }), "0");
  EXPECT_EQ(written([](Json& json) { json.number(~std::uint64_t{0}); }), "18446744073709551615");
  EXPECT_EQ(written([](Json& json) { json.integer(std::numeric_limits<std::int64_t>::min()); }),
            "-9223372036854775808");
}

TEST(Json, RealNumbersReadBackAsTheSame) {
  for (const double value : {0.0, 1.0, -1.5, 0.1, 1.0 / 3, 1e300, DBL_MIN, DBL_MAX, 5e-324, 123456789.125}) {
    const std::string text = written([&](Json& json) { json.real(value); });
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
  }
  EXPECT_EQ(written([](Json& json) { json.real(0.1); }), "0.1");
  EXPECT_EQ(written([](Json& json) { json.real(std::nan("")); }), "\"nan\"");
  EXPECT_EQ(written([](Json& json) { json.real(HUGE_VAL); }), "\"inf\"");
  EXPECT_EQ(written([](Json& json) { json.real(-HUGE_VAL); }), "\"-inf\"");
}

TEST(Json, TextsAreEscaped) {
  std::string all;
  for (char c = 1; c < 127; ++c)
    all += c;
  all += "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
  all += '\0';
  const std::string text = written([&](Json& json) { json.text(all); });
  EXPECT_EQ(nlohmann::json::parse(text).get<std::string>(), all);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(Json, WhatIsNoUtf8IsHexadecimal) {
  for (const char* bad :
       {"\xff", "a\x80", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x82", "\xf4\x90\x80\x80", "\xf0\x80\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bad));
    const auto read = nlohmann::json::parse(written([&](Json& json) { json.text(bad); }));
    ASSERT_TRUE(read.is_object());
    EXPECT_EQ(read.at("hex").get<std::string>().size(), 2 * std::strlen(bad));
  }
  EXPECT_TRUE(is_utf8("\xef\xbf\xbf"));
}

}  // namespace
}  // namespace nvmlab::recorder
