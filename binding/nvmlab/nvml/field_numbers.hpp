// SPDX-License-Identifier: Apache-2.0
// By which number the driver at hand knows a field. Covered by tests/binding/field_values_test.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace nvml::detail {

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

inline constexpr std::uint32_t kLaterDrivers = std::numeric_limits<std::uint32_t>::max();

// Drivers `from` up to, but without, `until` know field `id` by another number; by 0, which is no field, if they have
// no such field and its number means another to them.
struct FieldNumber {
  std::uint16_t id;
  std::uint16_t number;
  std::uint32_t from;
  std::uint32_t until;
};

// Is there a driver to which this id means something else?
bool was_renumbered(unsigned id) noexcept;

unsigned field_number(unsigned id, std::uint32_t driver) noexcept;

}  // namespace nvml::detail
