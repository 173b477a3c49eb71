// SPDX-License-Identifier: Apache-2.0
// Between what C has and what C++ has, part by part: numbers, enumerations, sets of flags, quantities, times, texts and
// arrays. Those of structs are generated (generated/convert_*.hpp) in the namespace of the C struct, so that an
// unqualified call finds both. Both ways are exact but for a text, which ends at its first NUL.
// Covered by tests/binding/values_convert_test.cpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/nvml/units.hpp"

namespace nvml::inline v1::detail {

// The typed value of a C struct: typed<abi::nvmlMemory_v2_t> is Memory.
template <class C>
struct TypedOf;
template <class C>
using typed = typename TypedOf<C>::type;

template <class T>
concept number_or_enum = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <number_or_enum C, number_or_enum T>
constexpr void from_c(const C& c, T& value) noexcept {
  if constexpr (std::same_as<T, bool>) {
    value = static_cast<unsigned long long>(c) != 0;
  } else {
    value = static_cast<T>(c);
  }
}
template <number_or_enum T, number_or_enum C>
constexpr void to_c(const T& value, C& c) noexcept {
  c = static_cast<C>(value);
}

template <number_or_enum C, class Unit, class Number>
constexpr void from_c(const C& c, Quantity<Unit, Number>& value) noexcept {
  value = Quantity<Unit, Number>{static_cast<Number>(c)};
}
template <class Unit, class Number, number_or_enum C>
constexpr void to_c(const Quantity<Unit, Number>& value, C& c) noexcept {
  c = static_cast<C>(value.count());
}

// A number in a class of its own: Flags, FabricHealth.
template <class T>
concept raw_number = requires(const T& value) {
  typename T::number;
  { value.raw() } -> std::same_as<typename T::number>;
};

template <number_or_enum C, raw_number T>
constexpr void from_c(const C& c, T& value) noexcept {
  value = T{static_cast<typename T::number>(c)};
}
template <raw_number T, number_or_enum C>
constexpr void to_c(const T& value, C& c) noexcept {
  c = static_cast<C>(value.raw());
}

template <number_or_enum C, class Rep, class Period>
constexpr void from_c(const C& c, std::chrono::duration<Rep, Period>& value) noexcept {
  value = std::chrono::duration<Rep, Period>{static_cast<Rep>(c)};
}
template <class Rep, class Period, number_or_enum C>
constexpr void to_c(const std::chrono::duration<Rep, Period>& value, C& c) noexcept {
  c = static_cast<C>(value.count());
}

template <number_or_enum C>
constexpr void from_c(const C& c, Timestamp& value) noexcept {
  value = Timestamp{Timestamp::duration{static_cast<Timestamp::rep>(c)}};
}
template <number_or_enum C>
constexpr void to_c(const Timestamp& value, C& c) noexcept {
  c = static_cast<C>(value.time_since_epoch().count());
}

// Handles stay what they are.
template <class Handle>
constexpr void from_c(Handle* const& c, Handle*& value) noexcept {
  value = c;
}
template <class Handle>
constexpr void to_c(Handle* const& value, Handle*& c) noexcept {
  c = value;
}

// Not std::min: <algorithm> costs each file that includes the binding more than all of these.
constexpr std::size_t at_most(std::size_t count, std::size_t most) noexcept { return count < most ? count : most; }

// NVML promises no NUL at the end of a text that fills its array.
template <std::size_t N>
void from_c(const char (&c)[N], std::string& value) {
  value.assign(c, ::strnlen(c, N));
}
// What does not fit is cut off.
template <std::size_t N>
void to_c(const std::string& value, char (&c)[N]) noexcept {
  std::memset(c, 0, N);
  std::memcpy(c, value.data(), at_most(value.size(), N));
}

template <class C, std::size_t N, class T>
void from_c(const C (&c)[N], std::array<T, N>& value) {
  for (std::size_t i = 0; i < N; ++i)
    from_c(c[i], value[i]);
}
template <class T, std::size_t N, class C>
void to_c(const std::array<T, N>& value, C (&c)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    to_c(value[i], c[i]);
}

// The part of an array that a count beside it says is filled.
template <class C, std::size_t N, class T>
void from_c_counted(const C (&c)[N], std::size_t count, std::vector<T>& value) {
  value.resize(at_most(count, N));
  for (std::size_t i = 0; i < value.size(); ++i)
    from_c(c[i], value[i]);
}
template <class T, class C, std::size_t N, class Count>
void to_c_counted(const std::vector<T>& value, C (&c)[N], Count& count) {
  const std::size_t used = at_most(value.size(), N);
  for (std::size_t i = 0; i < used; ++i)
    to_c(value[i], c[i]);
  count = static_cast<Count>(used);
}

// All of an array that has no count.
template <class T, class C, std::size_t N>
void to_c_listed(const std::vector<T>& value, C (&c)[N]) {
  for (std::size_t i = 0; i < value.size() && i < N; ++i)
    to_c(value[i], c[i]);
}

// A number that stands for "not known".
template <class C, class T>
void from_c_unless(std::type_identity_t<C> nothing, const C& c, std::optional<T>& value) {
  value.reset();
  if (c != nothing) from_c(c, value.emplace());
}
template <class T, class C>
void to_c_or(std::type_identity_t<C> nothing, const std::optional<T>& value, C& c) {
  c = nothing;
  if (value) to_c(*value, c);
}

}  // namespace nvml::inline v1::detail
