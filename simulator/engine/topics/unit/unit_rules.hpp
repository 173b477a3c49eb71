// SPDX-License-Identifier: Apache-2.0
// What follows from the fields of a unit and is therefore not stored. Tests: tests/drivers/functions/unit_test.cpp.
#pragma once

#include "engine/state/generated/unit.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kAmber = 1;  // NVML_LED_COLOR_AMBER

// A green light has no cause.
constexpr Text<256> shown_led_cause(const Fact<std::uint32_t>& color, const Text<256>& cause) {
  if (color.value_or(0) == kAmber && cause.has_value()) return cause;
  Text<256> none{};
  none.set("", 0);
  return none;
}

}  // namespace nvmlab
