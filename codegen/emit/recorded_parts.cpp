// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/recorded_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen {

Function declared(const Inputs& inputs, const std::string& name) {
  const auto* spans = history(inputs.registry.functions, name);
  return spans == nullptr ? Function{} : newest_definition(*spans);
}

const Field* member_of(const Inputs& inputs, const Function& function, const std::string& path) {
  const auto dot = path.find('.');
  const auto found = std::ranges::find(function.parameters, path.substr(0, dot), &Parameter::name);
  if (dot == std::string::npos || found == function.parameters.end()) return nullptr;
  const Record* record = resolve_record(inputs.newest, found->type.base);
  const Field* field = nullptr;
  for (std::string rest = path.substr(dot + 1); record != nullptr && !rest.empty();) {
    const auto next = rest.find('.');
    const auto at = std::ranges::find(record->fields, rest.substr(0, next), &Field::name);
    if (at == record->fields.end()) return nullptr;
    field = &*at;
    record = field->nested.empty() ? resolve_record(inputs.newest, field->type.base) : field->nested.data();
    rest = next == std::string::npos ? "" : rest.substr(next + 1);
  }
  return field;
}

std::string renamed(const Function& from, const Function& to, const std::string& path) {
  const std::string parameter = path.substr(0, path.find('.'));
  const auto found = std::ranges::find(from.parameters, parameter, &Parameter::name);
  const auto place = static_cast<std::size_t>(found - from.parameters.begin());
  if (place >= to.parameters.size()) return path;
  return to.parameters[place].name + path.substr(parameter.size());
}

std::string recorded_input(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string condition(const Verdict& verdict, const Case& each, const Function& target, const Function& function) {
  std::string when;
  for (std::size_t i = 0; i < verdict.by.size(); ++i) {
    const std::string last = recorded_input(renamed(target, function, verdict.by[i]));
    if (last != "version") when += fmt::format("{}{}={}", when.empty() ? "" : " ", last, each.keys[i]);
  }
  return when;
}

}  // namespace nvmlab::codegen
