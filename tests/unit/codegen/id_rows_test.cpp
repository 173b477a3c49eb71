// SPDX-License-Identifier: Apache-2.0
#include "codegen/meaning/id_rows.hpp"

#include <gtest/gtest.h>

namespace nvmlab::codegen {
namespace {

TEST(IdRows, AStarStandsForANumber) {
  unsigned number = 99;
  EXPECT_TRUE(fits("A_L*", "A_L11", number));
  EXPECT_EQ(number, 11U);
  EXPECT_TRUE(fits("A_L*_RX", "A_L0_RX", number));
  EXPECT_EQ(number, 0U);
  for (const char* name : {"A_L", "A_LX", "A_L1X", "A_L1_RX", "B_L1"})
    EXPECT_FALSE(fits("A_L*", name, number)) << name;
  EXPECT_FALSE(fits("A_L*_RX", "A_L1_RX_PER_SEC", number));
  EXPECT_FALSE(fits("A*A", "A", number)) << "head and tail may not overlap";
  EXPECT_TRUE(fits("A", "A", number));
  EXPECT_FALSE(fits("A", "AB", number));
}

}  // namespace
}  // namespace nvmlab::codegen
