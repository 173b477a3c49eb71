// SPDX-License-Identifier: Apache-2.0
// Values as JSON. A quantity is an object of its number and its unit, an enumerator its name, a set of flags a list of
// names, what is not known null; a list of bytes is a list of numbers. Not part of <nvmlab/nvml.hpp>. Covered by
// tests/binding/snapshot_test.cpp.
//
//   std::cout << nvml::to_json(nvml::snapshot(device)) << '\n';  // all that the device tells
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "nvmlab/nvml/id_type.hpp"
#include "nvmlab/nvml/reflect.hpp"
#include "nvmlab/nvml/snapshot.hpp"

namespace nvml::inline v1 {

namespace detail {

void put_text(std::string& json, std::string_view text);
void put_number(std::string& json, double number);
void put_name(std::string& json, std::string_view name);  // of an enumerator: "volatile_" is "volatile"

template <class T>
void put(std::string& json, const T& value);

template <class Count>
void put_quantity(std::string& json, Count count, std::string_view unit) {
  json += "{\"value\":";
  put(json, count);
  json += ",\"unit\":";
  put_text(json, unit);
  json += '}';
}

template <class Enum>
void put_enumerator(std::string& json, Enum value) {
  std::string_view name;
  if constexpr (requires { name_of(value); }) name = name_of(value);  // ids of their own type have none
  if (name.empty()) {
    put(json, static_cast<std::underlying_type_t<Enum>>(value));
  } else {
    put_name(json, name);
  }
}

template <class Set>
void put_flags(std::string& json, const Set& set) {
  using Number = typename Set::number;
  json += '[';
  bool first = true;
  for (unsigned bit = 0; bit < 8 * sizeof(Number); ++bit) {
    const auto one = static_cast<typename Set::flag>(static_cast<Number>(std::uint64_t{1} << bit));
    if (!set.has(one)) continue;
    if (!first) json += ',';
    first = false;
    put_enumerator(json, one);
  }
  json += ']';
}

template <class List>
void put_list(std::string& json, const List& list) {
  json += '[';
  bool first = true;
  for (const auto& element : list) {
    if (!first) json += ',';
    first = false;
    put(json, element);
  }
  json += ']';
}

// Those that have a name.
inline void put_profiles(std::string& json, const PowerProfiles& profiles) {
  std::vector<PowerProfileType> there;
  for (const PowerProfileType each : enumerators<PowerProfileType>()) {
    if (profiles.has(each)) there.push_back(each);
  }
  put_list(json, there);
}

template <class T>
void put_members(std::string& json, const T& value) {
  json += '{';
  bool first = true;
  for_each_member(value, [&](std::string_view name, const auto& member) {
    if (!first) json += ',';
    first = false;
    put_text(json, name);
    json += ':';
    put(json, member);
  });
  json += '}';
}

template <class T>
void put(std::string& json, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    json += value ? "true" : "false";
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    put_text(json, value);
  } else if constexpr (std::is_pointer_v<T>) {
    json += "null";  // a handle of C
  } else if constexpr (std::is_enum_v<T>) {
    put_enumerator(json, value);
  } else if constexpr (std::is_same_v<T, PowerProfiles>) {
    put_profiles(json, value);
  } else if constexpr (std::is_integral_v<T>) {
    json += std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    put_number(json, value);
  } else if constexpr (
      requires { typename T::unit; } ||
      requires {
        typename T::period;
        value.count();
      }) {
    put_quantity(json, value.count(), unit_symbol<T>());
  } else if constexpr (requires { value.time_since_epoch(); }) {
    put_quantity(json, value.time_since_epoch().count(), unit_symbol<typename T::duration>());
  } else if constexpr (requires { typename T::flag; }) {
    put_flags(json, value);
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    if (value.has_value()) {
      put(json, *value);
    } else {
      json += "null";
    }
  } else if constexpr (std::is_same_v<T, Uuid>) {
    put_text(json, to_string(value));
  } else if constexpr (requires { std::variant_size<T>::value; }) {
    std::visit([&](const auto& held) { put(json, held); }, value);
  } else if constexpr (requires { value.begin(); }) {
    put_list(json, value);
  } else if constexpr (Reflected<T>) {
    put_members(json, value);
  } else if constexpr (requires { value.raw(); }) {
    put(json, value.raw());
  } else if constexpr (requires { value.uuid(); }) {
    put(json, value.uuid());  // a device
  } else if constexpr (requires { value.handle(); }) {
    put(json, value.handle());  // a vGPU, or its type: a number
  } else {
    static_assert(std::is_same_v<T, std::monostate>, "there is no JSON of this type");
    json += "null";
  }
}

}  // namespace detail

/// A value of the binding as JSON.
template <class T>
std::string to_json(const T& value) {
  std::string json;
  detail::put(json, value);
  return json;
}

/// Everything that a device told: a member for each getter, null where there is none, and "errors" with the reasons.
std::string to_json(const Snapshot& snapshot);

}  // namespace nvml::inline v1
