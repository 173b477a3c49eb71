// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/error.hpp"

#include "nvmlab/abi/generated/return_texts.hpp"

namespace nvml {

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

std::string_view error_text(Return code) noexcept {
  std::string_view unknown;
  for (const auto& row : abi::return_texts) {
    if (row.code == static_cast<abi::nvmlReturn_t>(code)) return row.text;
    if (row.code == abi::NVML_ERROR_UNKNOWN) unknown = row.text;
  }
  return unknown;
}

std::string Error::message() const {
  std::string text;
  if (!function().empty()) text.append(function()).append(": ");
  text.append(error_text(code_)).append(" (").append(to_string(origin_)).append(")");
  if (!detail().empty()) text.append("\n").append(detail());
  return text;
}

namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "nvml"; }
  std::string message(int code) const override { return std::string{error_text(static_cast<Return>(code))}; }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Return code) noexcept { return {static_cast<int>(code), error_category()}; }

Error::operator std::error_code() const noexcept { return make_error_code(code_); }

}  // namespace nvml
