// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/struct_version.hpp"

#include <fmt/format.h>

#include <charconv>

namespace nvmlab::codegen {

std::optional<StructVersion> struct_version_of(const Macro& macro) {
  constexpr std::string_view head = "NVML_STRUCT_VERSION(";
  const std::string_view text = macro.text;
  if (macro.kind != MacroKind::struct_version || !text.starts_with(head) || !text.ends_with(')')) return std::nullopt;
  const std::string_view inside = text.substr(head.size(), text.size() - head.size() - 1);
  const std::size_t comma = inside.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view digits = inside.substr(comma + 1);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  StructVersion version;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), version.number);
  if (code != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  version.record = fmt::format("nvml{}_v{}_t", inside.substr(0, comma), version.number);
  return version;
}

}  // namespace nvmlab::codegen
