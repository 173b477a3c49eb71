// SPDX-License-Identifier: Apache-2.0
// What every call of the binding answers instead of a value when there is none. Covered by
// tests/binding/error_test.cpp.
#pragma once

#include "nvmlab/loader/language.hpp"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "nvmlab/abi/generated/enums.hpp"

namespace nvml {

/// NVML's return codes; the enumerators are in nvml/generated/enums.hpp.
enum class Return : unsigned;

/// Who says so. FUNCTION_NOT_FOUND of a driver and of a library that lacks the symbol are two findings.
enum class Origin : std::uint8_t {
  driver,   ///< the library's answer
  symbol,   ///< the library has no function of this name
  loader,   ///< no library could be opened
  fork,     ///< the object was made by the parent process; open a Library in this one
  binding,  ///< the arguments, or what the driver answered, cannot be expressed
};

std::string_view to_string(Origin origin) noexcept;

/// A value: cheap to copy, and makes no text before it is asked for one.
class [[nodiscard]] Error {
 public:
  Error(Return code, Origin origin, const char* function) noexcept
      : function_(function), code_(code), origin_(origin) {}
  Error(Return code, Origin origin, const char* function, std::string detail)
      : function_(function),
        detail_(std::make_shared<const std::string>(std::move(detail))),
        code_(code),
        origin_(origin) {}

  Return code() const noexcept { return code_; }
  Origin origin() const noexcept { return origin_; }

  /// The C function, "nvmlDeviceGetPowerUsage"; "" if none was reached.
  std::string_view function() const noexcept { return function_; }

  /// More than the code says, "" if there is nothing: for LIBRARY_NOT_FOUND the paths tried, a line each.
  std::string_view detail() const noexcept { return detail_ ? std::string_view{*detail_} : std::string_view{}; }

  /// One text for people: function, what the code means, who says so, detail.
  std::string message() const;

  operator std::error_code() const noexcept;  // NOLINT(google-explicit-constructor): that is what it is for

  /// Same code, same origin, same function.
  friend bool operator==(const Error& a, const Error& b) noexcept {
    return a.code_ == b.code_ && a.origin_ == b.origin_ && a.function() == b.function();
  }

 private:
  const char* function_;
  std::shared_ptr<const std::string> detail_;
  Return code_;
  Origin origin_;
};

template <class T>
using Result = std::expected<T, Error>;

/// "nvml", with the texts of error_text.
const std::error_category& error_category() noexcept;
std::error_code make_error_code(Return code) noexcept;

/// What a return code means, without any library: the words of measured drivers.
std::string_view error_text(Return code) noexcept;

}  // namespace nvml

template <>
struct std::is_error_code_enum<nvml::Return> : std::true_type {};
