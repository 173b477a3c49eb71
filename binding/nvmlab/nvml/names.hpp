// SPDX-License-Identifier: Apache-2.0
// Names of enumerators. Covered by tests/binding/values_enums_test.cpp.
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

namespace nvml::inline v1 {

namespace detail {

// An enumeration of the binding.
template <class Enum>
concept Named = std::is_enum_v<Enum> && requires(Enum value) {
  { name_of(value) } -> std::same_as<std::string_view>;
};

}  // namespace detail

/// The name of an enumerator, "geforce_rtx"; of a number that this release of the binding has no name for
/// "unrecognized (77)". name_of() is the same without an allocation, and "" where there is no name.
template <detail::Named Enum>
std::string to_string(Enum value) {
  const std::string_view name = name_of(value);
  if (!name.empty()) return std::string{name};
  return "unrecognized (" + std::to_string(+static_cast<std::underlying_type_t<Enum>>(value)) + ")";
}
template <class Traits, detail::Named Enum>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, Enum value) {
  return stream << to_string(value);
}

}  // namespace nvml::inline v1
