// SPDX-License-Identifier: Apache-2.0
// What follows from the fields of the nvlink topic and is therefore not stored. Tests:
// tests/drivers/functions/nvlink_test.cpp.
#pragma once

#include "engine/state/generated/nvlink.hpp"

namespace nvmlab {

// 1 where no mode has more bandwidth; a board that knows no best one is in none.
constexpr std::uint32_t is_best_mode(const Fact<std::uint32_t>& mode, const Fact<std::uint32_t>& best) {
  return mode.has_value() && best.has_value() && mode.value == best.value ? 1 : 0;
}

}  // namespace nvmlab
