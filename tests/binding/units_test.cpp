// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/units.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>

#include "nvmlab/nvml/literals.hpp"

namespace {

using namespace nvml;

TEST(Units, AreNumbersThatCanBeReckonedWith) {
  constexpr Milliwatts limit{300'000};
  EXPECT_EQ(limit + Milliwatts{5}, Milliwatts{300'005});
  EXPECT_EQ(limit - Milliwatts{50'000}, Milliwatts{250'000});
  EXPECT_EQ(limit * 2, Milliwatts{600'000});
  EXPECT_EQ(2 * limit, Milliwatts{600'000});
  EXPECT_EQ(limit / 4, Milliwatts{75'000});
  EXPECT_DOUBLE_EQ(Milliwatts{150'000} / limit, 0.5);
  EXPECT_LT(Milliwatts{1}, limit);
  Bytes sum;
  sum += Bytes{3};
  EXPECT_EQ(sum.count(), 3U);
}

TEST(Units, DifferenceHasASign) {
  EXPECT_EQ((Milliwatts{5} - Milliwatts{10}).count(), -5);
  EXPECT_LT(Milliwatts{5} - Milliwatts{10}, Milliwatts{0});
  EXPECT_EQ((Bytes{5} - Bytes{1ULL << 40U}).count(), 5 - (std::int64_t{1} << 40));
  static_assert(!std::is_convertible_v<decltype(Bytes{} - Bytes{}), Bytes>, "it may be less than nothing");
  EXPECT_EQ(quantity_cast<Bytes>(Bytes{10} - Bytes{4}), Bytes{6});
  EXPECT_EQ(quantity_cast<Milliwatts>(Milliwatts{5} - Milliwatts{10}), Milliwatts{0}) << "the nearest that there is";
  MegahertzOffset offset{100};
  offset -= MegahertzOffset{300};
  EXPECT_EQ(offset, MegahertzOffset{-200});
  EXPECT_EQ(Megahertz{1500} + offset, Megahertz{1300});
}

TEST(Units, FractionsAreKept) {
  constexpr Milliwatts limit{350'000};
  static_assert(!std::is_convertible_v<decltype(limit * 0.8), Milliwatts>, "it may be less than one");
  EXPECT_EQ((Milliwatts{1} * 0.5).count(), 0.5);
  EXPECT_EQ(quantity_cast<Milliwatts>(limit * 0.8), Milliwatts{280'000});
  EXPECT_EQ(quantity_cast<Milliwatts>(0.7 * limit), Milliwatts{245'000}) << "rounded: as a double it is a little less";
  EXPECT_EQ(quantity_cast<Watts>(limit * 0.5F), Watts{175});
  EXPECT_EQ((limit / 2.5).count(), 140'000.0);
  EXPECT_LT(limit * 0.8, limit);
  EXPECT_EQ(quantity_cast<Milliwatts>(limit * -1.0), Milliwatts{0});
  EXPECT_EQ(quantity_cast<Milliwatts>(limit * 1e12), Milliwatts{4'294'967'295});
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
  EXPECT_EQ(quantity_cast<Milliwatts>(Watts{4'294'968}), Milliwatts{4'294'967'295}) << "more than there can be";
  EXPECT_EQ(quantity_cast<Bytes>(Mebibytes{~0ULL}), Bytes{~0ULL});
  EXPECT_EQ(quantity_cast<Mebibytes>(Bytes{~0ULL}), Mebibytes{(1ULL << 44U) - 1});
}

TEST(Units, OfALargerUnitAreTakenAsTheSmaller) {
  using namespace nvml::literals;
  const auto limit = [](Milliwatts power) { return power.count(); };
  EXPECT_EQ(limit(300_W), 300'000U);
  constexpr Milliwatts most = 300_W;
  static_assert(most == 300_W);
  EXPECT_EQ(Milliwatts{Watts{4'294'968}}, Milliwatts{4'294'967'295}) << "more than there can be";
  static_assert(std::is_convertible_v<Mebibytes, Bytes> && std::is_convertible_v<Kibibytes, Bytes>);
  static_assert(std::is_convertible_v<Megahertz, Kilohertz>);
  static_assert(std::is_convertible_v<Watts, Quantity<unit::milliwatt, double>>);
  static_assert(!std::is_convertible_v<Milliwatts, Watts> && !std::is_constructible_v<Watts, Milliwatts>,
                "a fraction would be cut off");
  static_assert(!std::is_convertible_v<MegahertzOffset, Kilohertz>, "it may be less than nothing");
  static_assert(!std::is_convertible_v<Quantity<unit::watt, double>, Milliwatts>, "it may be a fraction");
  static_assert(!std::is_convertible_v<Watts, Megahertz>);
}

TEST(Units, AreWrittenWithTheirSymbol) {
  std::ostringstream stream;
  stream << Milliwatts{70'210} << ", " << Celsius{-5} << ", " << Milliwatts{3} * 0.5;
  EXPECT_EQ(stream.str(), "70210 mW, -5 C, 1.5 mW");
  EXPECT_EQ(to_string(Megahertz{1980}), "1980 MHz");
}

TEST(Units, OfOneMeasureAreComparedAndReckonedWith) {
  EXPECT_EQ(Watts{300}, Milliwatts{300'000});
  EXPECT_LT(Milliwatts{299'999}, Watts{300});
  EXPECT_GT(Mebibytes{1}, Bytes{1'000'000});
  EXPECT_EQ(Watts{1} + Milliwatts{500}, Milliwatts{1500});
  EXPECT_EQ((Mebibytes{1} - Bytes{1ULL << 21U}).count(), -(1 << 20)) << "less than nothing";
}

TEST(Units, EnergyOverTimeIsPower) {
  using namespace std::chrono_literals;
  EXPECT_EQ((Millijoules{90'000} / 2s).count(), 45'000.0);
  EXPECT_EQ(quantity_cast<Millijoules>(Milliwatts{300'000} * 500ms), Millijoules{150'000});
}

TEST(Units, HaveLiterals) {
  using namespace nvml::literals;
  static_assert(300_W == Milliwatts{300'000});
  static_assert(1500_MHz == Megahertz{1500} && 16_MiB == Bytes{16ULL << 20U} && 85_C == Celsius{85});
}

}  // namespace
