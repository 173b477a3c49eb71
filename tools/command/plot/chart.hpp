// SPDX-License-Identifier: Apache-2.0
//
// Readings over time as an SVG: a panel for each unit, one below the other on one axis of time, and bars for readings
// that are words. It can be read in light and dark, and the same readings make the same bytes.
// Tests: tests/unit/command/chart_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::tool {

struct Series {
  std::string name;
  std::string unit;                           // of the panel; "" of a bare number
  std::vector<std::optional<double>> values;  // one for each time
};

// What holds for a while, such as an event reason.
struct States {
  std::string name;
  std::vector<bool> holds;  // one for each time
};

struct Chart {
  std::string title;
  std::vector<double> seconds;  // from 0 on, ascending
  std::vector<Series> series;
  std::vector<States> states;
};

inline constexpr std::size_t kMostSeriesOfPanel = 8;

std::string svg_of(const Chart& chart);

// What stands at the lines of an axis: round numbers from `low` to `high` or a bit beyond.
std::vector<double> ticks_between(double low, double high, std::size_t about);
// Likewise of an axis of time, in seconds.
std::vector<double> time_ticks(double seconds);
std::string time_label(double seconds);  // "0", "30 s", "10 min", "1 h 30 min"

}  // namespace nvmlab::tool
