// SPDX-License-Identifier: Apache-2.0
// From numbers whose type the driver tells to the type that a field or a metric has. Covered by
// tests/binding/typed_fields_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nvmlab/nvml/value.hpp"

namespace nvml::inline v1 {

namespace detail {

// The C++ type of a kind of the generated tables, as ::type.
template <auto Kind>
struct IdType;

// The number, where one of this sign holds it.
std::optional<std::int64_t> as_signed(const Value& value) noexcept;
std::optional<std::uint64_t> as_unsigned(const Value& value) noexcept;

template <class Number>
std::optional<Number> as_number(const Value& value) noexcept {
  if constexpr (std::is_floating_point_v<Number>) {
    return number<Number>(value);
  } else if constexpr (std::is_signed_v<Number>) {
    const auto wide = as_signed(value);
    return wide && std::in_range<Number>(*wide) ? std::optional{static_cast<Number>(*wide)} : std::nullopt;
  } else {
    const auto wide = as_unsigned(value);
    return wide && std::in_range<Number>(*wide) ? std::optional{static_cast<Number>(*wide)} : std::nullopt;
  }
}

// What number a type is made of.
template <class T>
struct NumberOf {
  using type = T;
};
template <class T>
requires std::is_enum_v<T>
struct NumberOf<T> : std::underlying_type<T> {
};
template <class T>
requires requires { typename T::number; }
struct NumberOf<T> {
  using type = typename T::number;  // a quantity, a set of flags, a class of its own
};
template <class T>
requires requires { typename T::rep; }
struct NumberOf<T> {
  using type = typename T::rep;  // a time
};

// Nothing where the driver's number cannot be a T.
template <class T>
std::optional<T> value_as(const Value& value) noexcept {
  if constexpr (std::is_same_v<T, Value>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return static_cast<bool>(number<double>(value));
  } else {
    const auto made = as_number<typename NumberOf<T>::type>(value);
    return made ? std::optional{static_cast<T>(*made)} : std::nullopt;
  }
}

}  // namespace detail

/// "mW" of Milliwatts, "ns" of std::chrono::nanoseconds, "" of what has no unit.
template <class T>
constexpr std::string_view unit_symbol() noexcept {
  if constexpr (requires { T::unit::symbol; }) {
    return T::unit::symbol;
  } else if constexpr (requires { typename T::period; }) {
    using Period = typename T::period;
    return Period::den == 1'000'000'000 ? "ns" : Period::den == 1'000'000 ? "us" : Period::den == 1000 ? "ms" : "s";
  } else {
    return {};
  }
}

}  // namespace nvml::inline v1
