// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/error.hpp"

#include <cstdio>
#include <cstdlib>

#include "nvmlab/abi/generated/return_texts.hpp"
#include "nvmlab/loader/exception.hpp"

namespace nvml::inline v1 {

std::string_view to_string(Origin origin) noexcept {
  switch (origin) {
    case Origin::driver:
      return "the driver's answer";
    case Origin::symbol:
      return "the library has no such function";
    case Origin::loader:
      return "no library was opened";
    case Origin::fork:
      return "opened before fork, in the parent process";
    case Origin::binding:
      return "refused before the driver was asked";
  }
  return "of unknown origin";
}

std::string error_text(Return code) {
  std::string unknown;
  for (const auto& row : abi::return_texts) {
    if (row.code == static_cast<abi::nvmlReturn_t>(code)) return row.text;
    if (row.code == abi::NVML_ERROR_UNKNOWN) unknown = row.text;
  }
  return unknown + " (return code " + std::to_string(static_cast<unsigned>(code)) + ")";
}

namespace {

struct Equivalent {
  abi::nvmlReturn_t code;
  std::errc condition;
};
// Where the operating system's word means the same; for the rest there is no such word.
constexpr Equivalent kEquivalents[] = {
    {abi::NVML_ERROR_INVALID_ARGUMENT, std::errc::invalid_argument},
    {abi::NVML_ERROR_NOT_SUPPORTED, std::errc::not_supported},
    {abi::NVML_ERROR_NO_PERMISSION, std::errc::permission_denied},
    {abi::NVML_ERROR_INSUFFICIENT_SIZE, std::errc::no_buffer_space},
    {abi::NVML_ERROR_TIMEOUT, std::errc::timed_out},
    {abi::NVML_ERROR_LIBRARY_NOT_FOUND, std::errc::no_such_file_or_directory},
    {abi::NVML_ERROR_FUNCTION_NOT_FOUND, std::errc::function_not_supported},
    {abi::NVML_ERROR_GPU_IS_LOST, std::errc::no_such_device},
    {abi::NVML_ERROR_IN_USE, std::errc::device_or_resource_busy},
    {abi::NVML_ERROR_MEMORY, std::errc::not_enough_memory},
};

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "nvml"; }
  std::string message(int code) const override { return error_text(static_cast<Return>(code)); }
  std::error_condition default_error_condition(int code) const noexcept override {
    for (const Equivalent& each : kEquivalents) {
      if (static_cast<int>(each.code) == code) return each.condition;
    }
    return {code, *this};
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Return code) noexcept { return {static_cast<int>(code), error_category()}; }

Error::operator std::error_code() const noexcept { return make_error_code(code_); }

std::string Error::summary() const {
  std::string text;
  if (!function().empty()) text.append(function()).append(": ");
  return text.append(error_text(code_)).append(" (").append(to_string(origin_)).append(")");
}

void throw_for(const Error& error) {
#ifdef __cpp_exceptions
  throw Exception{error};
#else
  abort_for(error);
#endif
}

void abort_for(const Error& error) noexcept { detail::abort_without_value(error.message().c_str()); }

namespace detail {

void abort_without_value(const char* why) noexcept {
  std::fprintf(stderr, "nvml: there is no value: %s\n", why);
  std::abort();
}

}  // namespace detail
}  // namespace nvml::inline v1
