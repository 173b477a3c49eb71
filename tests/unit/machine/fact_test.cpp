// SPDX-License-Identifier: Apache-2.0
#include "engine/state/fact.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>

#include "engine/state/generated/state.hpp"

namespace nvmlab {
namespace {

static_assert(std::is_trivially_copyable_v<Fact<std::uint64_t>> && sizeof(Fact<std::uint32_t>) == 8);
static_assert(sizeof(Fact<std::uint64_t>) % 8 == 0 && sizeof(Text<32>) == 40 && sizeof(Bytes<16>) == 24);

TEST(Fact, ZeroedMemoryIsNotSupported) {
  Fact<std::uint32_t> number{};
  Text<32> text{};
  Bytes<16> bytes{};
  EXPECT_EQ(number.code(), kNotSupported);
  EXPECT_EQ(text.code(), kNotSupported);
  EXPECT_EQ(bytes.code(), kNotSupported);
  EXPECT_FALSE(number.has_value());
  EXPECT_EQ(number.value_or(7), 7u);
}

TEST(Fact, HoldsAValueAndZeroIsOne) {
  Fact<std::uint32_t> number{};
  number.set(0);
  EXPECT_TRUE(number.has_value());
  EXPECT_EQ(number.code(), kSuccess);
  EXPECT_EQ(number.value_or(7), 0u);
}

TEST(Fact, KeepsEveryReturnCodeAndForgetsTheValue) {
  Fact<std::uint64_t> number{};
  for (const std::uint32_t code : {1u, 2u, 3u, 4u, 15u, 999u, 0xFFFF'FFFFu}) {
    number.set(42);
    number.set_error(code);
    EXPECT_EQ(number.code(), code);
    EXPECT_FALSE(number.has_value());
    EXPECT_EQ(number.value, 0u) << "a refused value must not be left to be found";
  }
}

TEST(Text, TakesWhatFitsWithItsNul) {
  Text<16> text{};
  EXPECT_TRUE(text.set("", 0));
  EXPECT_TRUE(text.has_value());
  EXPECT_EQ(text.length, 0u);
  EXPECT_TRUE(text.set("fifteen letters", 15));
  EXPECT_EQ(text.length, 15u);
  EXPECT_STREQ(text.data, "fifteen letters");
}

TEST(Text, RefusesWhatDoesNotFitAndChangesNothing) {
  Text<16> text{};
  ASSERT_TRUE(text.set("before", 6));
  EXPECT_FALSE(text.set("sixteen letters!", 16));
  EXPECT_FALSE(text.set("", 0xFFFF'FFFF));
  EXPECT_STREQ(text.data, "before");
  EXPECT_EQ(text.length, 6u);
}

TEST(Text, AShorterTextLeavesNothingOfALongerOne) {
  Text<16> text{};
  ASSERT_TRUE(text.set("longer text", 11));
  ASSERT_TRUE(text.set("ab", 2));
  const char expected[16] = {'a', 'b'};
  EXPECT_EQ(std::memcmp(text.data, expected, sizeof expected), 0);
  text.set_error(15);
  EXPECT_EQ(text.code(), 15u);
  EXPECT_EQ(text.data[0], '\0');
}

TEST(Bytes, AreKeptOrRefused) {
  Bytes<8> bytes{};
  bytes.set({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes.data[7], 8);
  bytes.set_error(4);
  EXPECT_EQ(bytes.code(), 4u);
  EXPECT_EQ(bytes.data[7], 0);
}

TEST(List, ADamagedCountNeverLeadsOutside) {
  List<std::uint16_t, 4> list{};
  EXPECT_EQ(list.size(), 0u);
  EXPECT_EQ(list.begin(), list.end());
  list.count = 3;
  EXPECT_EQ(list.size(), 3u);
  list.count = 0xFFFF'FFFF;
  EXPECT_EQ(list.size(), 4u);
  EXPECT_EQ(list.end() - list.begin(), 4);
}

TEST(State, AZeroedGpuSupportsNothing) {
  static const Gpu gpu{};
  EXPECT_EQ(gpu.power.draw_mw.code(), kNotSupported);
  EXPECT_EQ(gpu.identity.uuid.code(), kNotSupported);
  EXPECT_EQ(gpu.nvlink.links.size(), 0u);
}

}  // namespace
}  // namespace nvmlab
