// SPDX-License-Identifier: Apache-2.0
// Axes and lines of the charts of nvmlab plot.
#include "command/plot/chart.hpp"

#include <gtest/gtest.h>

namespace nvmlab::tool {
namespace {

using Numbers = std::vector<double>;

TEST(Axes, HaveRoundNumbers) {
  EXPECT_EQ(ticks_between(0, 683, 4), (Numbers{0, 200, 400, 600, 800}));
  EXPECT_EQ(ticks_between(29, 87, 4), (Numbers{20, 40, 60, 80, 100}));
  EXPECT_EQ(ticks_between(5, 5, 4).front(), 5);
  EXPECT_EQ(time_ticks(3600), (Numbers{0, 600, 1200, 1800, 2400, 3000, 3600}));
  EXPECT_EQ(time_ticks(10).size(), 6U);
  EXPECT_EQ(time_label(0), "0");
  EXPECT_EQ(time_label(30), "30 s");
  EXPECT_EQ(time_label(5400), "1 h 30 min");
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

TEST(Chart, HasAPanelForEachUnitAndAGapWhereNothingIsTold) {
  Chart chart{.title = "a < b & c", .seconds = {0, 5, 10, 15, 20}, .series = {}, .states = {}};
  chart.series.push_back({"power", "W", {10, 20, {}, 30, 40}});
  chart.series.push_back({"gpu", "C", {30, 31, 32, 33, 34}});
  chart.series.push_back({"memory", "C", {40, 41, 42, 43, 44}});
  chart.states.push_back({"reason", {false, true, true, false, true}});
  const std::string svg = svg_of(chart);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(count(svg, "text-anchor=\"end\">W<"), 1U);
  EXPECT_EQ(count(svg, "text-anchor=\"end\">C<"), 1U) << "two lines in one panel";
  EXPECT_EQ(count(svg, "class=\"bar\""), 2U);
  const auto legend = svg.find("class=\"line s0\" d=\"M64.0");
  const auto power = svg.find("class=\"line s0\" d=\"M64.0", legend + 1);
  ASSERT_NE(power, std::string::npos);
  EXPECT_EQ(count(svg.substr(power, svg.find("/>", power) - power), "M"), 2U) << "begins anew behind the gap";
  EXPECT_EQ(svg, svg_of(chart));
}

// An hour, looked at ten times a second, is no file of megabytes; peaks are still there.
TEST(Chart, KeepsPeaksOfManyLooks) {
  Chart chart{.title = "many", .seconds = {}, .series = {{"power", "W", {}}}, .states = {}};
  for (int i = 0; i < 36'000; ++i) {
    chart.seconds.push_back(i / 10.0);
    chart.series[0].values.emplace_back(i == 17'777 ? 1000 : 500);
  }
  const std::string svg = svg_of(chart);
  EXPECT_LT(svg.size(), 100'000U);
  EXPECT_NE(svg.find(" 66.0L"), std::string::npos) << "the top of the panel is reached";
}

}  // namespace
}  // namespace nvmlab::tool
