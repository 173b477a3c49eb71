// SPDX-License-Identifier: Apache-2.0
// A block lies before all that it is post-dominated by, in loops, ladders and where the text has another order.
#include "kernels/lowering/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace nvmlab::kernels {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

std::ptrdiff_t place(const std::vector<std::uint32_t>& order, std::uint32_t block) {
  return std::ranges::find(order, block) - order.begin();
}

TEST(Flow, TheExitOfALoopLiesBehindItsBody) {
  const std::vector<std::uint32_t> order = order_of(Graph{{1}, {3, 2}, {1}, {}});
  ASSERT_EQ(order.size(), 4U);
  EXPECT_LT(place(order, 2), place(order, 3));
}

TEST(Flow, WaysMeetBehindAllOfThem) {
  // 0 parts to 1 and 4; 4 stands last in the text, and both meet in 2.
  const std::vector<std::uint32_t> order = order_of(Graph{{1, 4}, {2}, {3}, {}, {2}});
  EXPECT_GT(place(order, 2), place(order, 1));
  EXPECT_GT(place(order, 2), place(order, 4));
}

TEST(Flow, WhatCannotBeReachedIsLeftOut) { EXPECT_EQ(order_of(Graph{{2}, {2}, {}}).size(), 2U); }

TEST(Flow, EndlessLoopsAndNothingAreTaken) {
  EXPECT_EQ(order_of(Graph{{0}}).size(), 1U);
  EXPECT_TRUE(order_of(Graph{}).empty());
}

}  // namespace
}  // namespace nvmlab::kernels
