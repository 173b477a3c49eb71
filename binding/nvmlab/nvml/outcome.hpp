// SPDX-License-Identifier: Apache-2.0
// Two other ways to take a result: with an exception, or with nothing. Each is one word around a call:
//
//   const std::string name = nvml::or_throw(device.name());                       // throws nvml::Exception
//   std::optional<nvml::Milliwatts> power = nvml::or_nothing(device.power_usage());
//
// Covered by tests/binding/outcome_test.cpp.
#pragma once

#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nvmlab/loader/error.hpp"

namespace nvml {

// An Error as an exception: what() is its message, code() its return code in error_category().
class Exception : public std::system_error {
 public:
  explicit Exception(Error error) : std::system_error(error, error.message()), error_(std::move(error)) {}
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

// The value, or an Exception where there is none.
template <class T>
T or_throw(Result<T> result) {
  if (!result) throw Exception(std::move(result).error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// The value or nothing: a board that lacks something, a driver that is too old and a lost GPU look the same.
template <class T>
std::optional<T> or_nothing(Result<T> result) {
  if (!result) return std::nullopt;
  return *std::move(result);
}

// Of what NVML may leave open, whether it was asked in vain or said that it does not know.
template <class T>
std::optional<T> or_nothing(Result<std::optional<T>> result) {
  if (!result) return std::nullopt;
  return *std::move(result);
}

}  // namespace nvml
