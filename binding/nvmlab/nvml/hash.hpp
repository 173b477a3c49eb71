// SPDX-License-Identifier: Apache-2.0
// std::hash of every struct whose members can be visited: std::unordered_set<nvml::ProcessInfo>. Not part of
// <nvmlab/nvml.hpp>, which has that of objects, UUIDs, fields, quantities and sets of flags.
// Covered by tests/binding/whole_types_test.cpp.
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>
#include <variant>

#include "nvmlab/nvml/hashing.hpp"
#include "nvmlab/nvml/reflect.hpp"

namespace nvml::inline v1::detail {

template <class T>
concept Hashed = requires(const T& value) {
  std::hash<T>{}(value);
};

template <class T>
std::size_t hash_of(const T& value) {
  if constexpr (Reflected<T>) {
    std::size_t all = 0;
    for_each_member(value, [&](std::string_view, const auto& member) { all = mixed(all, hash_of(member)); });
    return all;
  } else if constexpr (Hashed<T>) {
    return std::hash<T>{}(value);
  } else if constexpr (requires { value.time_since_epoch(); }) {
    return hash_of(value.time_since_epoch().count());
  } else if constexpr (requires { typename T::period; }) {
    return hash_of(value.count());
  } else if constexpr (requires { value.raw(); }) {
    return hash_of(value.raw());
  } else if constexpr (requires { std::variant_size<T>::value; }) {
    return mixed(value.index(), std::visit([](const auto& held) { return hash_of(held); }, value));
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    return value.has_value() ? mixed(1, hash_of(*value)) : 0;
  } else {
    std::size_t all = 0;
    for (const auto& each : value)
      all = mixed(all, hash_of(each));
    return all;
  }
}

}  // namespace nvml::inline v1::detail

template <nvml::Reflected T>
struct std::hash<T> {
  std::size_t operator()(const T& value) const { return nvml::detail::hash_of(value); }
};
