// SPDX-License-Identifier: Apache-2.0
// What the fields of a part are within: the state of a GPU or of the node, an item of a list, the subject of a verdict.
#include "codegen/emit/export_parts.hpp"

namespace nvmlab::codegen {

Scope scope_of_subject(const ExportSubject& subject) {
  const VerdictSubject& of = subject.verdict.subject;
  if (!of.given() || of.made()) return {of.type, nullptr, nullptr, of.made()};
  const auto list = find_field(subject.vocabulary, of.list);
  return {of.type, list->topic, *item_of(*list)};
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
