// SPDX-License-Identifier: Apache-2.0
// functions.hpp: one function type per function, NAME_fn. Types only: no declaration, so nothing can ever be linked by
// accident.
#include <fmt/format.h>

#include "codegen/emit/abi.hpp"

namespace nvmlab::codegen::abi {
namespace {

// `head(parameters);`, on more lines where it would be longer than 120 columns.
std::string declaration(std::string head, const Function& function) {
  std::string line = std::move(head) + "(";
  std::string text;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    const bool last = i + 1 == function.parameters.size();
    const std::string piece = fmt::format("{} {}{}", parameter.type.text(), parameter.name, last ? "" : ",");
    constexpr std::size_t columns = 118;
    if (line.size() + piece.size() > columns) {
      text += line + "\n";
      line = "    " + piece;
    } else {
      line += (i == 0 ? "" : " ") + piece;
    }
  }
  return text + line + ");\n";
}

bool spells_known_types(const Function& function, const Release& release) {
  const auto known = [&](const Type& type) {
    const std::string& name = type.base;
    return !name.starts_with("nvml") || find(release.records, name) || find(release.typedefs, name) ||
           find(release.enums, name) || find(release.handles, name) ||
           find(release.macros, name);  // a type that was renamed
  };
  return known(function.returns) &&
         std::ranges::all_of(function.parameters, [&](const Parameter& parameter) { return known(parameter.type); });
}

}  // namespace

std::vector<std::string> function_types(const Inputs& inputs) {
  std::vector<std::string> names;
  for (const auto& [name, spans] : inputs.registry.functions) {
    if (spells_known_types(newest_definition(spans), inputs.newest)) names.push_back(name);
  }
  return names;
}

std::string functions(const Inputs& inputs) {
  std::string body;
  for (const std::string& name : function_types(inputs)) {
    const auto& spans = *history(inputs.registry.functions, name);
    const Function& function = newest_definition(spans);
    body += fmt::format("// since {}", spans.front().since);
    if (!spans.back().until.empty()) body += fmt::format(", last in {}", spans.back().until);
    if (!function.deprecated_since.empty()) body += fmt::format(", deprecated since {}", function.deprecated_since);
    body += "\n" + declaration(fmt::format("using {}_fn = {}", name, function.returns.text()), function);
  }
  return header_text(
      "Function types, NAME_fn, of every function that any header release declared; the newest signature of each.",
      "#include \"nvmlab/abi/generated/types.hpp\"\n", body);
}

}  // namespace nvmlab::codegen::abi
