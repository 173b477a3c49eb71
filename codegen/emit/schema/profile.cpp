// SPDX-License-Identifier: Apache-2.0
// GPU profiles and machines, as compiler/documents.cpp, layers.cpp and compile.cpp read them.
#include <fmt/format.h>

#include "codegen/emit/schema/schema.hpp"

namespace nvmlab::codegen::schema {

namespace {

// Return codes by name, with and without NVML_ERROR_, and by number.
Json codes(const Inputs& inputs) {
  std::vector<std::string> names;
  if (const Enum* list = find(inputs.newest.enums, std::string_view("nvmlReturn_t"))) {
    for (const Enumerator& each : list->enumerators) {
      if (!each.name.starts_with("NVML_ERROR_")) continue;
      names.push_back(each.name.substr(11));
      names.push_back(each.name);
    }
  }
  return any_of({one_of_words(names), {{"type", "integer"}, {"minimum", 1}}});
}

Json source_kinds() {
  Json rules = Json::array();
  for (const auto& [kind, needed] :
       {std::pair{"capture", "file"}, std::pair{"datasheet", "title"}, std::pair{"documentation", "title"},
        std::pair{"assumed", "why"}, std::pair{"derived", "why"}}) {
    const Json is_kind = {{"properties", {{"kind", {{"const", kind}}}}}};
    rules.push_back({{"if", is_kind}, {"then", {{"required", {needed}}}}});
  }
  Json made = mapping({{"kind", one_of_words({"capture", "datasheet", "documentation", "assumed", "derived"})},
                       {"file", text()},
                       {"driver", text()},
                       {"title", text()},
                       {"url", text()},
                       {"why", text()},
                       {"note", text()}},
                      {"kind"});
  made["allOf"] = std::move(rules);
  return made;
}

Json topic_definition(const StateTopic& topic) {
  Json fields = Json::object();
  for (const StateField& field : topic.fields)
    fields[field.name] = sourced_field(topic, field);
  fields["source"] = refer("source");
  Json made = {{"description", topic.doc}};
  made.update(mapping(std::move(fields)));
  made["type"] = {"object", "null"};
  return made;
}

// The keys of topics: of a GPU, of the node, or both.
void add_topics(const Vocabulary& vocabulary, bool of_gpu, bool of_node, Json& keys) {
  for (const StateTopic& topic : vocabulary.topics) {
    if (topic.of_node ? of_node : of_gpu) keys[topic.name] = refer(topic.name);
  }
}

Json origin_keys() {
  return {{"inherits", any_of({text(), list_of(text())})},
          {"doc", {{"description", "One line for people"}, {"type", {"string", "number"}}}},
          {"sources", mapping_to(refer("source_kind"))},
          {"source", refer("source")}};
}

Json gpu_profile(const Vocabulary& vocabulary, const char* name) {
  Json keys = Json::object();
  if (name != nullptr) keys[name] = text();
  keys["abstract"] = {{"description", "A family that others inherit, and no board"}, {"const", true}};
  keys.update(origin_keys());
  add_topics(vocabulary, true, true, keys);
  return name == nullptr ? mapping(std::move(keys)) : mapping(std::move(keys), {name});
}

Json machine(const Vocabulary& vocabulary) {
  Json item = {{"profile", text()}, {"count", refer("u32")}, {"source", refer("source")}};
  add_topics(vocabulary, true, false, item);
  Json defaults = {{"source", refer("source")}};
  add_topics(vocabulary, true, false, defaults);
  Json keys = {{"machine", text()}};
  keys.update(origin_keys());
  keys["defaults"] = mapping(std::move(defaults));
  keys["profiles"] = mapping_to(refer("profile_in_machine"));
  keys["gpus"] = list_of(mapping(std::move(item), {"profile"}));
  add_topics(vocabulary, false, true, keys);
  return mapping(std::move(keys), {"machine"});
}

}  // namespace

Json profile(const Vocabulary& vocabulary, const Inputs& inputs) {
  Json definitions = {{"source", {{"description", "The name of one of the `sources`"}, {"type", {"string", "number"}}}},
                      {"source_kind", source_kinds()},
                      {"code", codes(inputs)},
                      {"answer", mapping({{"answer", refer("code")}, {"source", refer("source")}}, {"answer"})},
                      {"bare_answer", mapping({{"answer", refer("code")}}, {"answer"})}};
  add_value_types(definitions);
  for (const StateTopic& topic : vocabulary.topics) {
    definitions[topic.name] = topic_definition(topic);
    add_records(topic, definitions);
  }
  definitions["profile_in_machine"] = gpu_profile(vocabulary, nullptr);
  definitions["gpu_profile"] = gpu_profile(vocabulary, "profile");
  definitions["machine"] = machine(vocabulary);
  return {{"type", "object"},
          {"if", {{"required", {"machine"}}}},
          {"then", refer("machine")},
          {"else", refer("gpu_profile")},
          {"definitions", std::move(definitions)}};
}

}  // namespace nvmlab::codegen::schema
