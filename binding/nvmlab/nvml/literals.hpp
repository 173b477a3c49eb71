// SPDX-License-Identifier: Apache-2.0
// Quantities as they are written in a program. Covered by tests/binding/units_test.cpp.
#pragma once

#include <utility>

#include "nvmlab/nvml/units.hpp"

namespace nvml::inline v1 {
namespace detail {

// A number of the source that is too large does not compile.
template <class Number>
consteval Number literal(unsigned long long count) {
  if (!std::in_range<Number>(count)) __builtin_unreachable();  // which a constant must not reach
  return static_cast<Number>(count);
}

}  // namespace detail

/// `using namespace nvml::literals;` and then 300_W, 1500_MHz, 16_MiB. What the type cannot hold does not compile.
namespace literals {
/// Milliwatts.
consteval Milliwatts operator""_mW(unsigned long long count) { return Milliwatts{detail::literal<unsigned>(count)}; }
/// Watts.
consteval Watts operator""_W(unsigned long long count) { return Watts{detail::literal<unsigned>(count)}; }
/// Millijoules.
consteval Millijoules operator""_mJ(unsigned long long count) { return Millijoules{count}; }
/// Megahertz.
consteval Megahertz operator""_MHz(unsigned long long count) { return Megahertz{detail::literal<unsigned>(count)}; }
/// Bytes.
consteval Bytes operator""_B(unsigned long long count) { return Bytes{count}; }
/// Kibibytes.
consteval Kibibytes operator""_KiB(unsigned long long count) { return Kibibytes{count}; }
/// Mebibytes.
consteval Mebibytes operator""_MiB(unsigned long long count) { return Mebibytes{count}; }
/// Degrees Celsius.
consteval Celsius operator""_C(unsigned long long count) { return Celsius{detail::literal<int>(count)}; }
/// Percent.
consteval Percent operator""_percent(unsigned long long count) { return Percent{detail::literal<unsigned>(count)}; }
}  // namespace literals

}  // namespace nvml::inline v1
