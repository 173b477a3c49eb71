// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/units.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace {

using namespace nvml;

TEST(Units, AreNumbersThatCanBeReckonedWith) {
  constexpr Milliwatts limit{300'000};
  EXPECT_EQ(limit + Milliwatts{5}, Milliwatts{300'005});
  EXPECT_EQ(limit - Milliwatts{50'000}, Milliwatts{250'000});
  EXPECT_EQ(limit * 2, Milliwatts{600'000});
  EXPECT_EQ(limit / 4, Milliwatts{75'000});
  EXPECT_DOUBLE_EQ(Milliwatts{150'000} / limit, 0.5);
  EXPECT_LT(Milliwatts{1}, limit);
  Bytes sum;
  sum += Bytes{3};
  sum -= Bytes{1};
  EXPECT_EQ(sum.count(), 2U);
}

TEST(Units, MayBeNegativeWhereNvmlIs) {
  EXPECT_LT(MegahertzOffset{-100}, MegahertzOffset{0});
  EXPECT_EQ(Celsius{-5} + Celsius{10}, Celsius{5});
}

TEST(Units, CostWhatTheirNumberCosts) {
  static_assert(sizeof(Milliwatts) == sizeof(unsigned));
  static_assert(std::is_trivially_copyable_v<Bytes>);
  static_assert(!std::is_convertible_v<unsigned, Milliwatts>, "a bare number does not say what it counts");
  static_assert(!std::is_convertible_v<Milliwatts, Megahertz>);
}

TEST(Units, OfOneMeasureConvert) {
  static_assert(quantity_cast<Mebibytes>(Bytes{(80ULL << 20U) + 5}) == Mebibytes{80});
  EXPECT_EQ(quantity_cast<Bytes>(Mebibytes{2}), Bytes{2ULL << 20U});
  EXPECT_EQ(quantity_cast<Kibibytes>(Mebibytes{2}), Kibibytes{2048});
  EXPECT_EQ(quantity_cast<Watts>(Milliwatts{299'999}), Watts{299});
  EXPECT_EQ(quantity_cast<Milliwatts>(Watts{300}), Milliwatts{300'000});
  EXPECT_EQ(quantity_cast<Megahertz>(Kilohertz{1'980'500}), Megahertz{1980});
}

}  // namespace
