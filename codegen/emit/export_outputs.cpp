// SPDX-License-Identifier: Apache-2.0
// How a part of an export is written as a call: what stands between its angle brackets, and what in its parentheses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/emit/export_parts.hpp"
#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen {

std::string codes_text(const std::string& empty, const std::string& missing) {
  const Selection usual;
  if (missing != usual.missing) return fmt::format("<{}, {}>", empty, missing);
  return empty != usual.empty ? "<" + empty + ">" : "";
}

std::string as_kind(const std::string& kind, const std::string& field) {
  return kind + field.substr(kField.size() - 1);
}

std::string output_call(const std::string& output, const std::string& member, std::vector<std::string> arguments,
                        const std::string& source) {
  std::vector<std::string> types;
  if (!member.empty()) types.push_back(member);
  if (source.starts_with(kField)) {
    types.push_back(source.substr(kField.size(), source.size() - kField.size() - 1));
  } else {
    arguments.push_back(source);
  }
  const std::string list = types.empty() ? "" : fmt::format("<{}>", fmt::join(types, ", "));
  return fmt::format("{}{}({})", output, list, fmt::join(arguments, ", "));
}

std::string member_type(const Release& release, std::string record, const std::vector<std::string>& steps) {
  for (const std::string& step : steps) {
    const Record* found = resolve_record(release, record);
    const auto field = std::ranges::find(found->fields, step, &Field::name);
    record = field->nested.empty() ? field->type.base : fmt::format("decltype({}::{})", record, step);
  }
  return record;
}

}  // namespace nvmlab::codegen
