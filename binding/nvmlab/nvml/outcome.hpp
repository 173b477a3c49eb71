// SPDX-License-Identifier: Apache-2.0
// Three other ways to take a result: with an exception, with nothing, or as a list that may be empty. Each is one word
// around a call:
//
//   const std::string name = nvml::or_throw(device.name());                       // throws nvml::Exception
//   std::optional<nvml::Milliwatts> power = nvml::or_nothing(device.power_usage());
//   for (const auto& process : nvml::or_empty(device.running_compute_processes())) ...
//
// Covered by tests/binding/outcome_test.cpp.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "nvmlab/loader/error.hpp"
#include "nvmlab/loader/exception.hpp"

namespace nvml::inline v1 {

#ifdef __cpp_exceptions  // a program that is built without them has the rest

/// The value, or an Exception where there is none.
template <class T>
T or_throw(Result<T> result) {
  if (!result) throw Exception(std::move(result).error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

#endif

/// The value or nothing: a board that lacks something, a driver that is too old and a lost GPU look the same.
template <class T>
std::optional<T> or_nothing(Result<T> result) {
  if (!result) return std::nullopt;
  return *std::move(result);
}

/// Of what NVML may leave open, whether it was asked in vain or said that it does not know.
template <class T>
std::optional<T> or_nothing(Result<std::optional<T>> result) {
  if (!result) return std::nullopt;
  return *std::move(result);
}

/// A list, empty where there is none: for a loop over what may be missing.
template <class List>
requires requires(List list) { list.begin(); }
List or_empty(Result<List> result) {
  if (!result) return {};
  return *std::move(result);
}

}  // namespace nvml::inline v1
