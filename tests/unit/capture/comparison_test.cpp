// SPDX-License-Identifier: Apache-2.0
//
// The measure that the client tests rest on: it must count what differs, hide nothing and give no credit for what is
// not there.
#include "tests/support/comparison.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace nvmlab::test {
namespace {

using Leaves = std::vector<capture::Leaf>;

TEST(Comparison, CountsOnlyWhatBothPrint) {
  const Leaves expected{{0, "a", "1"}, {0, "b", "2"}, {0, "c", "3"}, {0, "gone", "4"}};
  const Leaves actual{{0, "a", "1"}, {0, "b", "other"}, {0, "c", "3"}, {0, "new", "5"}};
  const auto comparison = compare(expected, actual);
  EXPECT_EQ(comparison.total.agreeing, 2U);
  EXPECT_EQ(comparison.total.compared(), 3U);
  EXPECT_NEAR(comparison.percent(), 66.67, 0.01);
  ASSERT_EQ(comparison.different.size(), 1U);
  EXPECT_EQ(comparison.different[0].expected, "2");
  EXPECT_EQ(comparison.different[0].actual, "other");
  ASSERT_EQ(comparison.only_expected.size(), 1U);
  EXPECT_EQ(comparison.only_expected[0].path, "gone");
  ASSERT_EQ(comparison.only_actual.size(), 1U);
  EXPECT_EQ(comparison.only_actual[0].path, "new");
}

TEST(Comparison, NothingInCommonIsNoAgreement) {
  EXPECT_EQ(compare(Leaves{{0, "a", "1"}}, Leaves{{0, "b", "1"}}).percent(), 0.0);
  EXPECT_EQ(compare(Leaves{}, Leaves{}).percent(), 0.0);
}

TEST(Comparison, TheMomentOfTheRunIsNamedNotCompared) {
  const auto comparison = compare(Leaves{{-1, "timestamp", "then"}}, Leaves{{-1, "timestamp", "now"}});
  EXPECT_EQ(comparison.total.compared(), 0U);
  ASSERT_EQ(comparison.uncompared.size(), 1U);
  EXPECT_NE(report(comparison, "e", "a").find("timestamp: the moment of the run"), std::string::npos);
}

TEST(Comparison, IdentityOfACapturedUnitIsCompared) {
  EXPECT_EQ(compare(Leaves{{0, "serial", "1"}}, Leaves{{0, "serial", "2"}}).different.size(), 1U);
}

TEST(Comparison, AMovedLeafIsComparedUnderBothNames) {
  const Leaves expected{{0, "platformInfo/module_id", "7"}};
  const auto comparison = compare(expected, Leaves{{0, "gpu_module_id", "8"}});
  ASSERT_EQ(comparison.different.size(), 1U);
  EXPECT_EQ(comparison.different[0].expected, "7");
  EXPECT_TRUE(comparison.only_expected.empty());
  EXPECT_TRUE(comparison.only_actual.empty());
}

TEST(Comparison, AGpuThatWasNotCapturedIsHeldAgainstTheFirst) {
  const Leaves expected{{0, "serial", "1"}, {0, "name", "A100"}, {0, "gone", "x"}};
  const Leaves actual{{0, "serial", "1"}, {0, "name", "A100"}, {1, "serial", "2"}, {1, "name", "A10"}};
  const auto as_captured = compare(expected, actual);
  EXPECT_EQ(as_captured.total.compared(), 2U);
  EXPECT_EQ(as_captured.percent(), 100.0);
  ASSERT_EQ(as_captured.uncompared.size(), 1U);
  EXPECT_EQ(as_captured.uncompared[0].gpu, 1);
  const auto standing_in = compare(expected, actual, Boards::first_stands_for_all);
  EXPECT_EQ(standing_in.total.compared(), 3U);
  ASSERT_EQ(standing_in.different.size(), 1U);
  EXPECT_EQ(standing_in.different[0].gpu, 1);
  EXPECT_EQ(standing_in.only_expected.size(), 2U);  // "gone", on both
  ASSERT_EQ(standing_in.uncompared.size(), 1U);
  EXPECT_EQ(standing_in.uncompared[0].path, "serial");
}

TEST(Comparison, ALongListCanBeSetAside) {
  Leaves expected{{0, "power/draw", "1"}};
  Leaves actual{{0, "power/draw", "2"}};
  for (int i = 0; i < 99; ++i) {
    expected.push_back({0, "supported_clocks/x[" + std::to_string(i) + "]", "5"});
    actual.push_back(expected.back());
  }
  const auto comparison = compare(expected, actual);
  EXPECT_EQ(comparison.percent(), 99.0);
  EXPECT_EQ(comparison.without("supported_clocks").percent(), 0.0);
  EXPECT_EQ(comparison.without("nothing").percent(), 99.0);
  EXPECT_NE(report(comparison, "e", "a").find("without supported_clocks: 0.00 % (0 of 1)"), std::string::npos);
}

TEST(Comparison, ReportGroupsWhatSeveralGpusShow) {
  Leaves expected;
  Leaves actual;
  for (int gpu = 0; gpu < 8; ++gpu) {
    expected.push_back({gpu, "power", "70 W"});
    actual.push_back({gpu, "power", gpu == 3 ? "71 W" : "72 W"});
  }
  const auto text = report(compare(expected, actual), "e", "a");
  EXPECT_NE(text.find("gpu 3     power  expected '70 W'  actual '71 W'"), std::string::npos) << text;
  EXPECT_NE(text.find("gpu 0,1,2,4,5,6,7 power"), std::string::npos) << text;
  EXPECT_NE(text.find("agreement: 0.00 % (0 of 8"), std::string::npos) << text;
}

}  // namespace
}  // namespace nvmlab::test
