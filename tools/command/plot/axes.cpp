// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "command/plot/chart.hpp"

namespace nvmlab::tool {

std::vector<double> ticks_between(double low, double high, std::size_t about) {
  if (!(high > low)) high = low + 1;
  const double rough = (high - low) / static_cast<double>(about);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (power * factor >= rough * 0.999) {
      step = power * factor;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  for (double i = first; ticks.size() < 100; ++i) {
    ticks.push_back(i * step);
    if (ticks.back() >= high - step * 1e-9) break;
  }
  return ticks;
}

std::vector<double> time_ticks(double seconds) {
  constexpr std::array kSteps = {0.001,  0.002,  0.005,  0.01,    0.02,    0.05,    0.1,     0.2,      0.5,     1.0,
                                 2.0,    5.0,    10.0,   15.0,    30.0,    60.0,    120.0,   300.0,    600.0,   900.0,
                                 1800.0, 3600.0, 7200.0, 14400.0, 21600.0, 43200.0, 86400.0, 172800.0, 604800.0};
  constexpr double kMostTicks = 8;
  double step = kSteps.back();
  for (const double each : kSteps) {
    if (seconds / each <= kMostTicks) {
      step = each;
      break;
    }
  }
  std::vector<double> ticks;
  for (double i = 0; i * step <= seconds * (1 + 1e-9) && ticks.size() < 1000; ++i)
    ticks.push_back(i * step);
  return ticks;
}

std::string time_label(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds == 0) return "0";
  if (seconds < kMinute) return fmt::format("{:g} s", seconds);
  const long long whole = std::llround(seconds);
  std::string label;
  if (seconds >= kHour) label = fmt::format("{} h", whole / 3600);
  if (whole % 3600 / 60 != 0) label += fmt::format("{}{} min", label.empty() ? "" : " ", whole % 3600 / 60);
  if (whole % 60 != 0) label += fmt::format("{}{} s", label.empty() ? "" : " ", whole % 60);
  return label;
}

}  // namespace nvmlab::tool
