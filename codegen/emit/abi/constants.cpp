// SPDX-License-Identifier: Apache-2.0
// constants.hpp and field_ids.hpp: NVML's macros as constants, under names that no macro of NVIDIA's header replaces.
#include <fmt/format.h>

#include <set>

#include "codegen/emit/abi.hpp"

namespace nvmlab::codegen::abi {
namespace {

bool is_field_id(const Macro& macro) { return macro.name.starts_with("NVML_FI_"); }

// The literal as NVIDIA wrote it where it is one, so that hexadecimal stays hexadecimal.
std::string value_text(const Macro& macro) {
  return macro.kind == MacroKind::integer ? macro.text : macro.value->text();
}

std::string line_of(const Release& release, const Macro& macro) {
  const std::string name = constant_name(macro.name);
  switch (macro.kind) {
    case MacroKind::integer:
    case MacroKind::expression:
    case MacroKind::alias: {
      if (!macro.value) return {};
      if (const Enum* entry = enum_with(release, macro.text)) {
        return fmt::format("inline constexpr {} {} = {};\n", entry->name, name, macro.text);
      }
      const bool alias = macro.kind == MacroKind::alias;
      const std::string value = alias ? constant_name(macro.text) : value_text(macro);
      return fmt::format("inline constexpr {} {} = {};\n", macro.value->type, name, value);
    }
    case MacroKind::string:
      return fmt::format("inline constexpr char {}[] = {};\n", name, macro.text);
    case MacroKind::bit_range: {
      const std::size_t colon = macro.text.find(':');
      return fmt::format("inline constexpr BitRange {}{{{}, {}}};\n", name, macro.text.substr(0, colon),
                         macro.text.substr(colon + 1));
    }
    default:
      return {};  // struct versions have a file of their own; the rest is code or layout of the header
  }
}

// Aliases after what they name.
std::string lines_of(const Release& release, bool field_ids_wanted) {
  std::string plain;
  std::string aliases;
  for (const Macro& macro : release.macros) {
    if (is_field_id(macro) == field_ids_wanted)
      (macro.kind == MacroKind::alias ? aliases : plain) += line_of(release, macro);
  }
  return aliases.empty() ? plain : plain + "\n" + aliases;
}

std::expected<void, Error> check_names(const Release& release) {
  std::set<std::string> seen;
  for (const Macro& macro : release.macros) {
    const std::string line = line_of(release, macro);
    const std::string name = constant_name(macro.name);
    if (line.empty()) continue;
    if (!seen.insert(name).second) return fail(fmt::format("two macros become the constant {}", name));
    if (find(release.macros, name) != nullptr) {
      return fail(fmt::format("the constant {} for {} is itself a macro of the header", name, macro.name));
    }
  }
  return {};
}

}  // namespace

Result<std::string> constants(const Inputs& inputs) {
  if (auto checked = check_names(inputs.newest); !checked) return std::unexpected(checked.error());
  const std::string bit_range =
      "// A range of bits, both ends included, as NVIDIA's HIGH:LOW macros mean it.\n"
      "struct BitRange {\n  unsigned int high;\n  unsigned int low;\n};\n\n";
  return header_text("NVML's macros as constants: NVML_X is X here (NVML_2X is N2X), nvmlX is X, X is X_.",
                     "#include \"nvmlab/abi/generated/enums.hpp\"\n", bit_range + lines_of(inputs.newest, false));
}

std::string field_ids(const Inputs& inputs) {
  return header_text(
      "Ids of nvmlDeviceGetFieldValues: NVML_FI_X is FI_X here. Some ids moved between releases: `nvmlgen explain`.",
      "", lines_of(inputs.newest, true));
}

}  // namespace nvmlab::codegen::abi
