// SPDX-License-Identifier: Apache-2.0
// What the fields of a part are within: the state of a GPU or of the node, an item of a list, the subject of a verdict.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/emit/export_parts.hpp"

namespace nvmlab::codegen {

Scope scope_of_subject(const ExportSubject& subject) {
  const VerdictSubject& of = subject.verdict.subject;
  if (!of.given() || of.made()) return {of.type, nullptr, nullptr, of.made()};
  const auto list = find_field(subject.vocabulary, of.list);
  return {of.type, list->topic, *item_of(*list)};
}

std::string pointers_to(const StateTopic& topic, const StateRecord* record, const std::string& path) {
  std::vector<std::string> pointers;
  std::string owner =
      record == nullptr ? (topic.of_node ? "Node" : "Gpu") : pascal_case(topic.name) + "::" + pascal_case(record->name);
  const std::vector<StateField>* fields = record == nullptr ? nullptr : &record->fields;
  std::string derived;
  for (const std::string& step : steps_of(path)) {
    pointers.push_back(fmt::format("&{}::{}", owner, step));
    if (fields == nullptr) {
      owner = pascal_case(topic.name);
      fields = &topic.fields;
      continue;
    }
    const StateField& field = *std::ranges::find(*fields, step, &StateField::name);
    if (!field.derived.empty()) derived = ", derived::" + field.derived;
    if (field.type != FieldType::record) continue;
    owner = cpp_type(topic, field);
    fields = &topic.record(field.record)->fields;
  }
  return fmt::format("{}{}", fmt::join(pointers, ", "), derived);
}

Result<FieldPath> PartWriter::find(const Scope& scope, const std::string& path) const {
  return scope.record == nullptr ? find_field(subject_.vocabulary, path)
                                 : find_member(*scope.topic, *scope.record, path);
}

Result<Scope> PartWriter::scope_of(const FieldPath& list) const {
  Scope scope{"", list.topic, nullptr};
  if (list.field->type != FieldType::list_record) return scope;
  scope.record = list.topic->record(list.field->record);
  scope.name = pascal_case(list.topic->name) + "::" + pascal_case(list.field->record);
  return scope;
}

}  // namespace nvmlab::codegen
