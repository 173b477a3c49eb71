// SPDX-License-Identifier: Apache-2.0
// What every call of the binding answers instead of a value when there is none. Covered by
// tests/binding/error_test.cpp.
#pragma once

#include "nvmlab/loader/language.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "nvmlab/abi/generated/enums.hpp"
#include "nvmlab/loader/counted.hpp"
#include "nvmlab/loader/expected.hpp"

namespace nvml::inline v1 {

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

/// "the driver's answer", "the library has no such function" and so on.
std::string_view to_string(Origin origin) noexcept;

/// The device that a failed call was about, as far as the driver told.
struct FailedDevice {
  std::optional<unsigned> index;  ///< nothing where the driver did not tell
  std::string name;               ///< "NVIDIA H100 80GB HBM3"; "" if it is not known
  bool mig = false;               ///< a MIG device, whose index is its place in its GPU
  bool operator==(const FailedDevice&) const = default;
};

/// The one of many things that were asked for together, and has an error of its own.
struct FailedItem {
  const char* kind = nullptr;  ///< "field", "metric"
  const char* name = "";       ///< "power_instant"; "" where this release has no name for the number
  unsigned id = 0;             ///< its number, a FieldId's say
  unsigned scope = 0;          ///< which of several: an NVLink's number, 0 where there is one
};

/// Memory of the caller that was too little for what there is.
struct Shortage {
  unsigned offered = 0;  ///< elements that there was room for
  unsigned needed = 0;   ///< that there are; 0 where the driver did not tell
  bool operator==(const Shortage&) const = default;
};

/// A value: cheap to copy, and makes no text before it is asked for one, but where an argument is wrong.
class [[nodiscard]] Error {
 public:
  /// Of a C function, whose name lives as long as the program.
  Error(Return code, Origin origin, const char* function) noexcept
      : function_(function), code_(code), origin_(origin) {}
  /// With a text of its own.
  Error(Return code, Origin origin, const char* function, std::string detail)
      : function_(function),
        detail_(detail::Counted<const std::string>::make(std::move(detail))),
        code_(code),
        origin_(origin) {}

  Return code() const noexcept { return code_; }      ///< what NVML answered, or would have
  Origin origin() const noexcept { return origin_; }  ///< who says so

  /// The C function, "nvmlDeviceGetPowerUsage"; "" if none was reached.
  std::string_view function() const noexcept { return function_; }

  /// More than the code says, "" if there is nothing: for LIBRARY_NOT_FOUND the paths tried, a line each; for an
  /// argument that the driver refused what it was, and what is allowed.
  std::string_view detail() const noexcept { return detail_ ? std::string_view{*detail_} : std::string_view{}; }

  /// The device that was asked; null where it was none, or none that the driver has a name or an index for.
  const FailedDevice* device() const noexcept { return device_.get(); }

  /// Of several things that were asked for together the one that this is about, a field say; null where it is all.
  const FailedItem* item() const noexcept { return item_.kind == nullptr ? nullptr : &item_; }

  /// How much room there was and how much is needed, where the caller's memory was too little; null where it was not.
  const Shortage* shortage() const noexcept { return short_ ? &shortage_ : nullptr; }

  /// What to do about it, "" where there is no advice: the branch of drivers that has the function and the one that is
  /// here, the boards that have it, who may.
  std::string advice() const;

  /// "nvmlDeviceGetFanSpeed: Not Supported (the driver's answer)", one line for a table.
  std::string summary() const;

  /// The whole story for people, in lines: the summary with the device and the item, the detail, the shortage, the
  /// advice.
  std::string message() const;

  /// The same with `detail` in place of what detail() was.
  Error with_detail(std::string detail) const {
    Error same = *this;
    same.detail_ = detail::Counted<const std::string>::make(std::move(detail));
    return same;
  }
  /// The same, about this device; about this item.
  Error with_device(detail::Counted<const FailedDevice> device) const noexcept {
    Error same = *this;
    same.device_ = std::move(device);
    return same;
  }
  /// The same, about this item.
  Error with_item(const FailedItem& item) const noexcept {
    Error same = *this;
    same.item_ = item;
    return same;
  }
  /// The same, for want of room.
  Error with_shortage(const Shortage& shortage) const noexcept {
    Error same = *this;
    same.shortage_ = shortage;
    same.short_ = true;
    return same;
  }
  /// The same, of a driver of this release, as detail::driver_release() has it.
  Error with_driver(std::uint32_t release) const noexcept {
    Error same = *this;
    same.driver_ = release;
    return same;
  }

  /// What std::error_condition knows of it compares equal: error == std::errc::permission_denied.
  operator std::error_code() const noexcept;  // NOLINT(google-explicit-constructor): that is what it is for

  /// Same code, same origin, same function.
  friend bool operator==(const Error& a, const Error& b) noexcept {
    return a.code_ == b.code_ && a.origin_ == b.origin_ && a.function() == b.function();
  }

  /// Whether it has this code, whoever it is of: error == nvml::Return::gpu_is_lost.
  friend bool operator==(const Error& error, Return code) noexcept { return error.code_ == code; }

  /// message(). As a std::error_code it would be "nvml:3".
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, const Error& error) {
    return stream << error.message();
  }

 private:
  const char* function_;
  detail::Counted<const std::string> detail_;
  detail::Counted<const FailedDevice> device_;
  FailedItem item_;
  Return code_;
  std::uint32_t driver_ = 0;  // 0: not known
  Shortage shortage_;
  Origin origin_;
  bool short_ = false;  // shortage_ says something
};

/// What value() does where there is no value: throws an Exception.
[[noreturn, gnu::cold]] void throw_for(const Error& error);
/// What it does without exceptions: ends the program with the message.
[[noreturn, gnu::cold]] void abort_for(const Error& error) noexcept;

/// What every call answers: a value or an Error.
template <class T>
using Result = expected<T, Error>;

/// "nvml", with the texts of error_text. Codes that say what an errno says are equivalent to its std::errc:
/// NO_PERMISSION to permission_denied, NOT_SUPPORTED to not_supported, TIMEOUT to timed_out, GPU_IS_LOST to
/// no_such_device, and so on.
const std::error_category& error_category() noexcept;
/// A code of error_category().
std::error_code make_error_code(Return code) noexcept;

/// What a return code means, without any library: the words of measured drivers; "Unknown Error (return code 777)" for
/// one that no driver has told of.
std::string error_text(Return code);

}  // namespace nvml::inline v1

template <>
struct std::is_error_code_enum<nvml::Return> : std::true_type {};
