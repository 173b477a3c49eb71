// SPDX-License-Identifier: Apache-2.0
// compiler/generated/chips.hpp: generations and chips, from model/chips.yaml. Generation stops at a row that names no
// architecture or NVLink version of NVML, lacks something, or claims device ids that another has.
// Tests: tests/unit/codegen/chips_test.cpp.
#include "codegen/emit/chips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <span>

namespace nvmlab::codegen {
namespace {

Result<std::string> word(const yaml::Node& row, std::string_view key) {
  const yaml::Node* const value = row.is_mapping() ? row.find(key) : nullptr;
  if (value == nullptr) return fail_at(row, fmt::format("'{}' is missing", key));
  if (!value->is_scalar()) return fail_at(*value, fmt::format("'{}' is one word, not {}", key, value->describe()));
  return value->scalar;
}

Result<void> only(const yaml::Node& row, std::span<const std::string_view> keys) {
  if (!row.is_mapping()) return fail_at(row, fmt::format("keys were expected, not {}", row.describe()));
  for (const auto& [key, value] : row.entries) {
    if (std::ranges::find(keys, std::string_view(key.scalar)) == keys.end())
      return fail_at(key, fmt::format("'{}' is not one of {}", key.scalar, fmt::join(keys, ", ")));
  }
  return {};
}

// "8.6" is 86.
Result<unsigned> compute_capability(const yaml::Node& row) {
  const auto text = word(row, "compute_capability");
  if (!text) return std::unexpected(text.error());
  unsigned major = 0;
  unsigned minor = 0;
  int read = 0;
  if (std::sscanf(text->c_str(), "%3u.%1u%n", &major, &minor, &read) != 2 ||
      static_cast<std::size_t>(read) != text->size())
    return fail_at(row, fmt::format("'{}' is no compute capability such as 8.6", *text));
  return major * 10 + minor;
}

Result<bool> truth(const yaml::Node& row, std::string_view key) {
  const yaml::Node* const value = row.find(key);
  if (value == nullptr) return false;
  if (value->scalar != "yes") return fail_at(*value, fmt::format("'{}' takes 'yes', or is left out", key));
  return true;
}

// A number that the newest header has under that name.
std::optional<std::uint64_t> constant(const Inputs& inputs, const std::string& name) {
  for (const Enum& list : inputs.newest.enums) {
    const auto found = std::ranges::find(list.enumerators, name, &Enumerator::name);
    if (found != list.enumerators.end()) return static_cast<std::uint64_t>(found->value);
  }
  const auto* spans = history(inputs.registry.macros, name);
  const Macro* macro = spans == nullptr ? nullptr : at_release(*spans, inputs.registry.releases.back().version);
  if (macro == nullptr || !macro->value) return std::nullopt;
  return macro->value->bits;
}

std::string macro_name(std::string_view prefix, std::string text) {
  for (char& letter : text)
    letter = letter == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return fmt::format("{}{}", prefix, text);
}

Result<std::string> architecture_row(const Inputs& inputs, const std::string& name, const yaml::Node& row) {
  constexpr std::array<std::string_view, 4> keys{"compute_capability", "nvlink", "repairs", "datacenter_only"};
  if (auto known = only(row, keys); !known) return std::unexpected(known.error());
  const auto number = constant(inputs, macro_name("NVML_DEVICE_ARCH_", name));
  if (!number) return fail_at(row, fmt::format("'{}' is no architecture of NVML", name));
  const auto capability = compute_capability(row);
  if (!capability) return std::unexpected(capability.error());
  const auto repairs = word(row, "repairs");
  if (!repairs) return std::unexpected(repairs.error());
  if (*repairs != "pages" && *repairs != "rows") return fail_at(row, "'repairs' is pages or rows");
  const auto datacenter = truth(row, "datacenter_only");
  if (!datacenter) return std::unexpected(datacenter.error());
  std::uint64_t link = 0;
  if (row.find("nvlink") != nullptr) {
    const auto version = word(row, "nvlink");
    if (!version) return std::unexpected(version.error());
    const auto known = constant(inputs, macro_name("NVML_NVLINK_VERSION_", *version));
    if (!known) return fail_at(*row.find("nvlink"), fmt::format("'{}' is no NVLink version of NVML", *version));
    link = *known;
  }
  return fmt::format(
      "    {{.name = \"{}\",\n     .number = {},\n     .compute_capability = {},\n     .nvlink_version = {},\n"
      "     .repairs = MemoryRepair::{},\n     .datacenter_only = {}}},\n",
      name, *number, *capability, link, *repairs, *datacenter);
}

struct IdBlock {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

std::optional<std::uint64_t> device_id(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint64_t id = 0;
  const auto [at, error] = std::from_chars(text.data() + 2, text.data() + text.size(), id, 16);
  return error == std::errc() && at == text.data() + text.size() ? std::optional(id) : std::nullopt;
}

Result<IdBlock> id_block(const yaml::Node& row) {
  const yaml::Node* const ids = row.find("ids");
  if (ids == nullptr || !ids->is_sequence() || ids->items.size() != 2)
    return fail_at(row, "'ids' takes the first and the last PCI device id: [0x2300, 0x23FF]");
  const auto first = device_id(ids->items[0].scalar);
  const auto last = device_id(ids->items[1].scalar);
  if (!first || !last || *first > *last || *last > 0xFFFF)
    return fail_at(*ids, "PCI device ids go from 0x0000 to 0xFFFF, the lower one first");
  return IdBlock{*first, *last};
}

Result<std::string> chip_row(const std::string& name, const yaml::Node& row, const yaml::Node& architectures,
                             std::vector<IdBlock>& taken) {
  constexpr std::array<std::string_view, 5> keys{"ids", "architecture", "compute_capability", "family",
                                                 "datacenter_only"};
  if (auto known = only(row, keys); !known) return std::unexpected(known.error());
  const auto block = id_block(row);
  if (!block) return std::unexpected(block.error());
  for (const IdBlock& other : taken) {
    if (block->first <= other.last && other.first <= block->last)
      return fail_at(row, fmt::format("device ids of '{}' are another chip's", name));
  }
  taken.push_back(*block);
  const auto architecture = word(row, "architecture");
  if (!architecture) return std::unexpected(architecture.error());
  if (architectures.find(*architecture) == nullptr)
    return fail_at(row, fmt::format("'{}' is none of the architectures above", *architecture));
  const auto capability = compute_capability(row);
  if (!capability) return std::unexpected(capability.error());
  const auto family = row.find("family") == nullptr ? architecture : word(row, "family");
  if (!family) return std::unexpected(family.error());
  const auto datacenter = truth(row, "datacenter_only");
  if (!datacenter) return std::unexpected(datacenter.error());
  return fmt::format(
      "    {{.name = \"{}\",\n     .first_id = 0x{:04X},\n     .last_id = 0x{:04X},\n     .architecture = \"{}\",\n"
      "     .family = \"{}\",\n     .compute_capability = {},\n     .datacenter_only = {}}},\n",
      name, block->first, block->last, *architecture, *family, *capability, *datacenter);
}

}  // namespace

Result<std::string> render_chips(const Inputs& inputs, const yaml::Node& file) {
  const yaml::Node* const architectures = file.is_mapping() ? file.find("architectures") : nullptr;
  const yaml::Node* const chips = file.is_mapping() ? file.find("chips") : nullptr;
  if (architectures == nullptr || !architectures->is_mapping() || chips == nullptr || !chips->is_mapping())
    return fail_at(file, "'architectures' and 'chips' were expected, with a row for each");
  std::string generations;
  for (const auto& [name, row] : architectures->entries) {
    auto text = architecture_row(inputs, name.scalar, row);
    if (!text) return std::unexpected(text.error());
    generations += *text;
  }
  std::string rows;
  std::vector<IdBlock> taken;
  for (const auto& [name, row] : chips->entries) {
    auto text = chip_row(name.scalar, row, *architectures, taken);
    if (!text) return std::unexpected(text.error());
    rows += *text;
  }
  return fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated by `nvmlgen write` from model/chips.yaml; edit that, not this.\n"
      "#pragma once\n\n#include \"compiler/chips.hpp\"\n\nnamespace nvmlab::compiler {{\n\n"
      "// Oldest first.\ninline constexpr Architecture kArchitectures[] = {{\n{}}};\n\n"
      "inline constexpr Chip kChips[] = {{\n{}}};\n\n}}  // namespace nvmlab::compiler\n",
      generations, rows);
}

std::expected<void, Error> emit_chips(const Inputs& inputs, Output& output) {
  const auto file = yaml::parse_file(inputs.root / "model" / "chips.yaml");
  if (!file) return std::unexpected(file.error());
  auto text = render_chips(inputs, *file);
  if (!text) return std::unexpected(text.error());
  output.add("simulator/compiler/generated/chips.hpp", std::move(*text));
  return {};
}

}  // namespace nvmlab::codegen
