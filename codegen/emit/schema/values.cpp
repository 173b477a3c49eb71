// SPDX-License-Identifier: Apache-2.0
// Values of profiles, as compiler/values.cpp reads them. What fields of one type have in common is a definition; a
// field adds its description, its labels and its range.
#include <fmt/format.h>

#include <limits>

#include "codegen/emit/schema/schema.hpp"

namespace nvmlab::codegen::schema {
namespace {

// A number as profiles write it: 700000, 0x1EB8, 700_000, which YAML 1.2 takes for a text.
Json number_between(const Json& low, const Json& high) {
  Json number = {{"type", "integer"}};
  if (!low.is_null()) number["minimum"] = low;
  if (!high.is_null()) number["maximum"] = high;
  return any_of({std::move(number), pattern("^[-+]?(0[xX][0-9A-Fa-f_]+|[0-9][0-9_]*)$")});
}

template <class T>
Json whole_number() {
  return number_between(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

// Numbers, and evenly spaced runs of them.
Json list_of_numbers(const Json& number) {
  const Json end = any_of({{{"type", "number"}}, number});
  return list_of(any_of({number, mapping({{"from", end}, {"to", end}, {"step", end}}, {"from", "to", "step"})}));
}

struct Type {
  const char* name;
  Json value;
};

std::vector<Type> types() {
  const Json u64 = number_between(0, nullptr);  // editors count in floating point
  // Those of compiler/numbers.cpp; which of them a field takes, the compiler says.
  const Json with_unit = pattern(
      "^[-+]?[0-9][0-9_]*(\\.[0-9]+)? *(mW|W|kW|mW/s|W/s|mJ|J|kJ|Wh|kWh|uV|mV|V|mA|A|kHz|MHz|GHz|C|%|us|ms|s|min|h|"
      "B|KiB|MiB|GiB|TiB|KB/s|MB/s|GB/s)$");
  return {{"u32", whole_number<std::uint32_t>()},
          {"i32", whole_number<std::int32_t>()},
          {"u64", u64},
          {"u32_with_unit", any_of({whole_number<std::uint32_t>(), with_unit})},
          {"i32_with_unit", any_of({whole_number<std::int32_t>(), with_unit})},
          {"u64_with_unit", any_of({u64, with_unit})},
          {"flag", any_of({{{"enum", {0, 1, "0", "1", true, false, "yes", "no"}}}})},
          {"text", text()},
          {"bytes", {{"type", {"string", "number"}}}},
          {"list_u16", list_of_numbers(whole_number<std::uint16_t>())},
          {"list_u32", list_of_numbers(whole_number<std::uint32_t>())},
          {"list_u64", list_of_numbers(u64)}};
}

std::string type_name(const StateField& field) {
  const bool unit = !field.unit.empty();
  switch (field.type) {
    case FieldType::u32:
      return unit ? "u32_with_unit" : "u32";
    case FieldType::i32:
      return unit ? "i32_with_unit" : "i32";
    case FieldType::u64:
      return unit ? "u64_with_unit" : "u64";
    case FieldType::flag:
      return "flag";
    case FieldType::text:
      return "text";
    case FieldType::bytes:
      return "bytes";
    case FieldType::list_u16:
      return "list_u16";
    case FieldType::list_u32:
      return "list_u32";
    default:
      return "list_u64";
  }
}

bool is_list(FieldType type) {
  return type == FieldType::list_u16 || type == FieldType::list_u32 || type == FieldType::list_u64 ||
         type == FieldType::list_record;
}

std::string record_name(const StateTopic& topic, const std::string& record) {
  return fmt::format("{}.{}", topic.name, record);
}

// A value; null and, but for lists, an answer in its place.
std::vector<Json> choices_of(const Json& value, bool list, const char* answer) {
  std::vector<Json> choices{value, {{"type", "null"}}};
  if (!list) choices.push_back(refer(answer));
  return choices;
}

// The same, or with a source of its own.
Json sourced(const Json& value, bool list) {
  std::vector<Json> choices = choices_of(value, list, "answer");
  choices.push_back(
      mapping({{"value", any_of(choices_of(value, list, "bare_answer"))}, {"source", refer("source")}}, {"value"}));
  return any_of(std::move(choices));
}

Json described(const StateField& field, const Json& value) {
  const std::string unit = field.unit.empty() ? "" : fmt::format(" ({})", field.unit);
  Json made = {{"description", field.doc + unit}};
  if (field.ranged) made.update({{"minimum", field.low}, {"maximum", field.high}});
  if (field.type == FieldType::text) made["maxLength"] = field.capacity - 1;
  made.update(value);
  return made;
}

// What may stand in place of a number: a label, or bits by their names.
Json names_of(const StateField& field) {
  std::vector<std::string> words;
  words.reserve(field.labels.size() + field.bits.size());
  for (const auto& [label, unused] : field.labels)
    words.push_back(label);
  for (const auto& [bit, unused] : field.bits)
    words.push_back(bit);
  return field.bits.empty() ? one_of_words(words) : any_of({one_of_words(words), list_of(one_of_words(words))});
}

bool has_names(const StateField& field) { return !field.labels.empty() || !field.bits.empty(); }

// A member of a record that lies in a list, where nothing has a source.
Json listed_member(const StateTopic& topic, const StateField& field) {
  const bool list = is_list(field.type);
  if (field.type == FieldType::list_record)
    return described(field, any_of(choices_of(list_of(refer(record_name(topic, field.record))), list, "")));
  if (field.type == FieldType::record)
    return described(field, any_of(choices_of(refer(record_name(topic, field.record)), list, "bare_answer")));
  std::vector<Json> choices = choices_of(refer(type_name(field)), list, "bare_answer");
  if (has_names(field)) choices.push_back(names_of(field));
  return described(field, any_of(std::move(choices)));
}

// A topic's record: each member may have a source of its own.
Json record_of_topic(const StateTopic& topic, const StateRecord& record) {
  Json members = Json::object();
  for (const StateField& member : record.fields)
    members[member.name] = sourced_field(topic, member);
  members["source"] = refer("source");
  return mapping(std::move(members));
}

}  // namespace

Json sourced_field(const StateTopic& topic, const StateField& field) {
  if (field.type == FieldType::record) {
    const Json record = record_of_topic(topic, *topic.record(field.record));
    return described(field, any_of(choices_of(record, false, "answer")));
  }
  if (field.type == FieldType::list_record)
    return described(field, sourced(list_of(refer(record_name(topic, field.record))), true));
  const Json common = refer(type_name(field) + "_with_source");
  if (!has_names(field)) return described(field, any_of({common}));
  const Json label = names_of(field);
  return described(field, any_of({label, mapping({{"value", label}, {"source", refer("source")}}, {"value"}), common}));
}

void add_value_types(Json& definitions) {
  for (const Type& type : types()) {
    definitions[type.name] = type.value;
    definitions[fmt::format("{}_with_source", type.name)] =
        sourced(refer(type.name), std::string_view(type.name).starts_with("list_"));
  }
}

void add_records(const StateTopic& topic, Json& definitions) {
  for (const StateRecord& record : topic.records) {
    Json members = Json::object();
    for (const StateField& member : record.fields)
      members[member.name] = listed_member(topic, member);
    members["repeat"] = {{"description", "As many equal ones"}, {"type", "integer"}, {"minimum", 1}};
    definitions[record_name(topic, record.name)] = mapping(std::move(members));
  }
}

}  // namespace nvmlab::codegen::schema
