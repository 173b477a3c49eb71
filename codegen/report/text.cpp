// SPDX-License-Identifier: Apache-2.0
#include "codegen/report/text.hpp"

#include <fmt/format.h>

namespace nvmlab::codegen {

std::string to_text(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& section : sections) {
    if (section.lines.empty()) continue;
    text += fmt::format("\n{} ({})\n", section.title, section.lines.size());
    for (const std::string& line : section.lines)
      text += fmt::format("  {}\n", line);
  }
  return text;
}

std::string signature(const Function& function) {
  std::string list;
  for (const Parameter& parameter : function.parameters) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", parameter.type.text(), parameter.name);
  }
  return fmt::format("{} {}({})", function.returns.text(), function.name, list.empty() ? "void" : list);
}

std::string declaration(const Field& field) {
  std::string text = field.nested.empty()            ? field.type.text()
                     : field.nested.front().is_union ? "union {...}"
                                                     : "struct {...}";
  if (!field.name.empty()) text += " " + field.name;
  for (const Extent& extent : field.extents)
    text += fmt::format("[{}]", extent.count);
  return text;
}

}  // namespace nvmlab::codegen
