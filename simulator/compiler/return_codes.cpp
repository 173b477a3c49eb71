// SPDX-License-Identifier: Apache-2.0
#include "compiler/return_codes.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/nearest.hpp"
#include "compiler/numbers.hpp"
#include "nvmlab/abi/generated/return_names.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::string_view kPrefix = "NVML_ERROR_";

// As profiles write it: without the prefix. Empty for NVML_SUCCESS, which stands in place of nothing.
std::string_view bare_name(const nvml::abi::ReturnName& row) {
  const std::string_view name = row.name;
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : std::string_view();
}

}  // namespace

std::expected<std::uint32_t, std::string> find_return_code(std::string_view name) {
  const std::string_view bare = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  std::vector<std::string> names;
  for (const auto& row : nvml::abi::return_names) {
    const auto known = bare_name(row);
    if (known.empty()) continue;
    if (bare == known) return row.code;
    names.emplace_back(known);
  }
  // Codes that NVML has no name for can still be pinned: programs must survive those too.
  if (auto number = parse_number(name);
      number && !number->negative && number->magnitude > 0 && number->magnitude <= 0xFFFF'FFFFu) {
    return static_cast<std::uint32_t>(number->magnitude);
  }
  if (bare == "SUCCESS" || name == "NVML_SUCCESS" || name == "0") {
    return std::unexpected("SUCCESS stands for a value; write the value itself");
  }
  return std::unexpected(
      fmt::format("{} is no return code of NVML; {}", in_quotes(name), hint(bare, names, "its codes")));
}

std::string return_code_name(std::uint32_t code) {
  for (const auto& row : nvml::abi::return_names) {
    if (row.code == code && !bare_name(row).empty()) return std::string(bare_name(row));
  }
  return std::to_string(code);
}

}  // namespace nvmlab::compiler
