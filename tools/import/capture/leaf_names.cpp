// SPDX-License-Identifier: Apache-2.0
#include "import/capture/leaf_names.hpp"

#include <array>

namespace nvmlab::capture {
namespace {

struct Renamed {
  std::string_view older;
  std::string_view newer;
};

// Reviewed: one value under two names, because DTD versions moved it.
constexpr std::array whole{
    Renamed{"gpu_module_id", "platformInfo/module_id"},  // v12, v13
};

// The same for the first part of a path: releases before 535 say throttle reasons. (power_readings, which they print in
// place of gpu_power_readings, is no such pair: the newer one is read by field numbers that older drivers do not have.)
constexpr std::array beginnings{
    Renamed{"clocks_throttle_reasons/clocks_throttle_reason_", "clocks_event_reasons/clocks_event_reason_"},
    Renamed{"Clocks Throttle Reasons/", "Clocks Event Reasons/"},
};

}  // namespace

std::string newest_name(std::string_view path) {
  for (const auto& [older, newer] : whole) {
    if (path == older) return std::string(newer);
  }
  for (const auto& [older, newer] : beginnings) {
    if (path.starts_with(older)) return std::string(newer) + std::string(path.substr(older.size()));
  }
  return std::string(path);
}

}  // namespace nvmlab::capture
