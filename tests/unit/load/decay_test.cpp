// SPDX-License-Identifier: Apache-2.0
// exp() in integers, beside that of libm.
#include "engine/topics/load/decay.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace nvmlab::load_test {
namespace {

TEST(Decay, IsTheExponentialFunction) {
  constexpr std::uint32_t constant_us = 50'000'000;
  for (std::uint64_t elapsed = 0; elapsed < 20ULL * constant_us; elapsed += 123'457) {
    const double expected = std::exp(-static_cast<double>(elapsed) / constant_us);
    ASSERT_NEAR(static_cast<double>(decay(elapsed, constant_us)) / kDecayOne, expected, 1e-4) << elapsed;
  }
}

TEST(Decay, NeverRises) {
  std::int64_t before = kDecayOne;
  for (std::uint64_t elapsed = 0; elapsed < 40'000'000; elapsed += 997) {
    const std::int64_t now = decay(elapsed, 1'500'000);
    ASSERT_LE(now, before) << elapsed;
    before = now;
  }
  EXPECT_EQ(before, 0);
}

TEST(Decay, BeginsAtOneAndTakesAnyTime) {
  EXPECT_EQ(decay(0, 1), kDecayOne);
  EXPECT_EQ(decay(~0ULL, 1'500'000), 0);
  EXPECT_EQ(decay(5, 0), 0);
}

TEST(Decay, EndsWhereItGoes) {
  EXPECT_EQ(on_the_way(1000, -500, kDecayOne), 1000);
  EXPECT_EQ(on_the_way(1000, -500, 0), -500);
  EXPECT_EQ(on_the_way(1000, -500, kDecayOne / 2), 250);
}

}  // namespace
}  // namespace nvmlab::load_test
