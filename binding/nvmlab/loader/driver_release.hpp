// SPDX-License-Identifier: Apache-2.0
// Releases of drivers as numbers. Covered by tests/binding/field_values_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace nvml::inline v1::detail {

// "580.65.06" -> 580 and 65 in one number that orders as releases do; 0 if that is no release of a driver.
constexpr std::uint32_t driver_release(std::string_view text) noexcept {
  std::uint32_t parts[2] = {};
  unsigned part = 0;
  for (const char c : text) {
    if (c == '.' && ++part == 2) break;
    if (c == '.') continue;
    if (c < '0' || c > '9' || parts[part] > 6000) return 0;
    parts[part] = parts[part] * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return parts[0] << 16 | parts[1];
}

}  // namespace nvml::inline v1::detail
