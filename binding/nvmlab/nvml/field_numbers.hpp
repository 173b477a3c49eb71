// SPDX-License-Identifier: Apache-2.0
// By which number the driver at hand knows a field. Covered by tests/binding/field_values_test.cpp.
#pragma once

#include <cstdint>
#include <limits>

#include "nvmlab/loader/driver_release.hpp"

namespace nvml::inline v1::detail {

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

}  // namespace nvml::inline v1::detail
