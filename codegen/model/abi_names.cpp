// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/abi_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nvmlab::codegen::abi {

std::string identifier_of(std::string_view version) {
  std::string text(version);
  std::ranges::replace(text, '.', '_');
  return text;
}

std::string constant_name(std::string_view macro) {
  if (macro.starts_with("NVML_")) {
    const std::string_view rest = macro.substr(5);
    const bool digit = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
    return fmt::format("{}{}", digit ? "N" : "", rest);
  }
  if (macro.starts_with("nvml")) return std::string(macro.substr(4));
  return fmt::format("{}_", macro);
}

}  // namespace nvmlab::codegen::abi
