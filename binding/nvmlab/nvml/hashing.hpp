// SPDX-License-Identifier: Apache-2.0
// How hashes are put together. std::hash itself comes with each type that names something: objects, UUIDs, fields,
// quantities and sets of flags; hash.hpp beside this has that of structs. Covered by
// tests/binding/whole_types_test.cpp.
#pragma once

#include <cstddef>

namespace nvml::inline v1::detail {

// Of two, in this order. The constant is 2^64 over the golden ratio, which spreads small numbers over all bits.
constexpr std::size_t mixed(std::size_t first, std::size_t second) noexcept {
  return first ^ (second + static_cast<std::size_t>(0x9E3779B97F4A7C15U) + (first << 6U) + (first >> 2U));
}

}  // namespace nvml::inline v1::detail
