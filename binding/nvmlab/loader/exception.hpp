// SPDX-License-Identifier: Apache-2.0
// An error for those who throw. Covered by tests/binding/outcome_test.cpp.
#pragma once

#include "nvmlab/loader/error.hpp"

#ifdef __cpp_exceptions  // a program that is built without them has the rest

#include <system_error>
#include <utility>

namespace nvml::inline v1 {

/// An Error as an exception: what() is its message, code() its return code in error_category().
class Exception : public std::system_error {
 public:
  explicit Exception(Error error) : std::system_error(error, error.message()), error_(std::move(error)) {}
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

}  // namespace nvml::inline v1

#endif
