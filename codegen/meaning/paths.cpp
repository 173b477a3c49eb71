// SPDX-License-Identifier: Apache-2.0
// Paths into the state vocabulary: "power.draw_mw", "ecc.corrected_volatile.dram", and within the items of a list.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/meaning/verdicts.hpp"

namespace nvmlab::codegen {
namespace {

// `whole` is the path for messages, `rest` what is left of it below `fields`.
Result<FieldPath> descend(const StateTopic& topic, const std::vector<StateField>* fields, std::string rest,
                          const std::string& whole, const std::string& place) {
  for (;;) {
    const auto next = rest.find('.');
    const auto found = std::ranges::find(*fields, rest.substr(0, next), &StateField::name);
    if (found == fields->end()) return fail("'" + whole + "' is not a field of " + place);
    if (next == std::string::npos) return FieldPath{&topic, &*found};
    const StateRecord* record = found->type == FieldType::record ? topic.record(found->record) : nullptr;
    if (record == nullptr) return fail("'" + whole + "' goes through a field that is not a record");
    fields = &record->fields;
    rest = rest.substr(next + 1);
  }
}

}  // namespace

Result<FieldPath> find_field(const Vocabulary& vocabulary, const std::string& path) {
  const auto dot = path.find('.');
  const StateTopic* topic = vocabulary.find(path.substr(0, dot));
  if (topic == nullptr || dot == std::string::npos) return fail("'" + path + "' names no topic of model/state/");
  return descend(*topic, &topic->fields, path.substr(dot + 1), path, "model/state/" + topic->name + ".yaml");
}

Result<FieldPath> find_member(const StateTopic& topic, const StateRecord& record, const std::string& path) {
  return descend(topic, &record.fields, path, path,
                 fmt::format("'{}' in model/state/{}.yaml", record.name, topic.name));
}

Result<const StateRecord*> item_of(const FieldPath& list) {
  if (list.field->type != FieldType::list_record) return fail("'" + list.field->name + "' is not a list of records");
  return list.topic->record(list.field->record);
}

}  // namespace nvmlab::codegen
