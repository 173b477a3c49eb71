// SPDX-License-Identifier: Apache-2.0
// Enumerations and sets of flags: a header and a source with the names for each group of them.
#include <fmt/format.h>

#include "codegen/columns.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen::values {
namespace {

std::string value_of(const TypedEnum& type, const TypedEnumerator& each) {
  if (!type.set.empty()) return fmt::format("{:#x}", each.bits);
  const auto value = static_cast<std::int64_t>(each.bits);
  return type.underlying == "int" ? fmt::format("{}", value) : fmt::format("{}", each.bits);
}

// "C: the macros NVML_POWER_SOURCE_*"; "" where they have no beginning in common.
std::string macros_of(const TypedEnum& type) {
  std::string common = type.enumerators.front().c_name;
  for (const TypedEnumerator& each : type.enumerators) {
    while (!each.c_name.starts_with(common))
      common.pop_back();
  }
  common.resize(common.rfind('_') + 1);
  return common.empty() ? "" : "C: the macros " + common + "*";
}

std::string definition(const TypedEnum& type) {
  std::string text;
  if (!type.says.empty()) text += wrapped(type.says, "/// ");
  const std::string c = type.c_type.empty() ? macros_of(type) : "C: " + type.c_type;
  if (!c.empty()) text += wrapped(c, "/// ");
  text += fmt::format("enum class {} : {} {{\n", type.name, type.underlying);
  for (const TypedEnumerator& each : type.enumerators) {
    std::string doc = each.says;
    if (each.name != each.c_name) doc += (doc.empty() ? "" : " C: ") + each.c_name;
    text += fmt::format("  {} = {},{}\n", each.name, value_of(type, each), doc.empty() ? "" : "  ///< " + doc);
  }
  text += "};\n";
  if (!type.set.empty())
    text += fmt::format(
        "template <>\ninline constexpr bool is_flag<{0}> = true;\nusing {1} = Flags<{0}>;  ///< a set of them\n",
        type.name, type.set);
  return text + fmt::format("std::string_view name_of({} value) noexcept;  ///< \"\" where it has none\n\n", type.name);
}

std::string names(const TypedEnum& type) {
  std::string text = fmt::format("std::string_view name_of({} value) noexcept {{\n  switch (value) {{\n", type.name);
  for (const TypedEnumerator& each : type.enumerators) {
    if (!each.repeated) text += fmt::format("    case {}::{}: return \"{}\";\n", type.name, each.name, each.name);
  }
  return text + "  }\n  return {};\n}\n\n";
}

}  // namespace

std::expected<void, Error> emit_enums(const BindingTypes& types, Output& output) {
  std::map<std::string, std::pair<std::string, std::string>> files;
  for (const TypedEnum& type : types.enums()) {
    auto& [header, source] = files[type.header];
    header += definition(type);
    source += names(type);
  }
  for (const auto& [path, texts] : files) {
    const bool sets = texts.first.contains("is_flag");
    output.add("binding/" + path,
               header_text("Values of other numbers are kept: to_string calls them \"unrecognized (77)\".",
                           fmt::format("#include <cstdint>\n#include <string_view>\n\n{}#include "
                                       "\"nvmlab/nvml/names.hpp\"\n",
                                       sets ? "#include \"nvmlab/nvml/flags.hpp\"\n" : ""),
                           texts.first));
    output.add("binding/" + path.substr(0, path.size() - 4) + "_names.cpp",
               source_text("Names of enumerators.", fmt::format("#include \"{}\"\n", path), texts.second));
  }
  return {};
}

}  // namespace nvmlab::codegen::values
