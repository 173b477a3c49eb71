// SPDX-License-Identifier: Apache-2.0
// What follows from the fields of MIG and is therefore not stored. Tests: tests/drivers/functions/mig_test.cpp.
#pragma once

#include "engine/machine/fact.hpp"

namespace nvmlab {

// While MIG is off a chip has room for no MIG device.
constexpr std::uint32_t mig_devices_possible(const Fact<std::uint32_t>& mode, const Fact<std::uint32_t>& most) {
  return mode.value_or(0) != 0 ? most.value_or(0) : 0;
}

}  // namespace nvmlab
