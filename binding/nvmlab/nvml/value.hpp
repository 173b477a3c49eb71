// SPDX-License-Identifier: Apache-2.0
// A number whose type the driver tells along with it. Covered by tests/binding/field_values_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "nvmlab/abi/generated/types.hpp"

namespace nvml::inline v1 {

/// What nvmlValue_t can hold; `unsigned long` and `unsigned long long` are one here.
using Value = std::variant<double, unsigned, std::uint64_t, std::int64_t, int, std::uint16_t>;

/// The number as T, whatever it was counted in; std::get is for those who must know.
template <class T>
requires std::is_arithmetic_v<T>
constexpr T number(const Value& value) noexcept {
  // Not std::visit, which costs each file that includes the binding a table of functions.
  switch (value.index()) {
    case 0:
      return static_cast<T>(*std::get_if<0>(&value));
    case 1:
      return static_cast<T>(*std::get_if<1>(&value));
    case 2:
      return static_cast<T>(*std::get_if<2>(&value));
    case 3:
      return static_cast<T>(*std::get_if<3>(&value));
    case 4:
      return static_cast<T>(*std::get_if<4>(&value));
    default:
      return static_cast<T>(*std::get_if<5>(&value));
  }
}

namespace detail {

// Nothing if the driver names a type that is none of the known ones.
std::optional<Value> value_of(abi::nvmlValueType_t type, const abi::nvmlValue_t& c) noexcept;

}  // namespace detail

}  // namespace nvml::inline v1
