// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/facts_json.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <stdexcept>

namespace nvmlab::codegen {
namespace {

// What is absent in JSON has the default value here, so that the common case stays one short line.
void put(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}
void put(Json& json, const char* key, bool flag) {
  if (flag) json[key] = true;
}

std::string text_at(const Json& json, const char* key) {
  return json.contains(key) ? json.at(key).get<std::string>() : "";
}
bool flag_at(const Json& json, const char* key) { return json.contains(key) && json.at(key).get<bool>(); }

std::uint64_t number_at(const Json& json, const char* key) {
  if (!json.at(key).is_number_unsigned())
    throw std::invalid_argument(fmt::format("'{}' must be a number from 0 up", key));
  return json.at(key).get<std::uint64_t>();
}

std::int64_t integer_at(const Json& json, const char* key) {
  if (!json.at(key).is_number_integer()) throw std::invalid_argument(fmt::format("'{}' must be a whole number", key));
  return json.at(key).get<std::int64_t>();
}

Type type_at(const Json& json, const char* key) {
  auto type = parse_type(json.at(key).get<std::string>());
  if (!type) throw std::invalid_argument(type.error().message);
  return std::move(*type);
}

// A strict reader: a misspelt key in a registry is an error, never a silent default.
void only(const Json& json, std::initializer_list<std::string_view> keys) {
  if (!json.is_object()) throw std::invalid_argument("expected an object");
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(keys, key) == keys.end()) throw std::invalid_argument(fmt::format("unknown key '{}'", key));
  }
}

Json extent_to_json(const Extent& extent) {
  return extent.macro.empty() ? Json(extent.count) : Json{{"count", extent.count}, {"macro", extent.macro}};
}

Extent extent_from_json(const Json& json) {
  if (json.is_number_unsigned()) return {json.get<std::uint64_t>(), {}};
  only(json, {"count", "macro"});
  return {number_at(json, "count"), text_at(json, "macro")};
}

Json field_to_json(const Field& field) {
  Json json = Json::object();
  put(json, "name", field.name);
  if (field.nested.empty()) {
    json["type"] = field.type.text();
  } else {
    json["record"] = to_json(field.nested.front());
  }
  for (const Extent& extent : field.extents)
    json["extents"].push_back(extent_to_json(extent));
  json["offset"] = field.offset;
  json["size"] = field.size;
  return json;
}

Field field_from_json(const Json& json) {
  only(json, {"name", "type", "record", "extents", "offset", "size"});
  Field field;
  field.name = text_at(json, "name");
  if (json.contains("record")) {
    Record nested;
    from_json(json.at("record"), nested);
    field.nested.push_back(std::move(nested));
  } else {
    field.type = type_at(json, "type");
  }
  if (json.contains("extents")) {
    for (const Json& extent : json.at("extents"))
      field.extents.push_back(extent_from_json(extent));
  }
  field.offset = number_at(json, "offset");
  field.size = number_at(json, "size");
  return field;
}

}  // namespace

Json to_json(const Function& function) {
  Json json = Json::object();
  json["returns"] = function.returns.text();
  json["parameters"] = Json::array();
  for (const Parameter& parameter : function.parameters) {
    json["parameters"].push_back({{"name", parameter.name}, {"type", parameter.type.text()}});
  }
  put(json, "deprecated", function.deprecated_since);
  put(json, "guarded", function.guarded);
  return json;
}

void from_json(const Json& json, Function& function) {
  only(json, {"since", "until", "returns", "parameters", "deprecated", "guarded"});
  function.returns = type_at(json, "returns");
  for (const Json& parameter : json.at("parameters")) {
    only(parameter, {"name", "type"});
    function.parameters.push_back({parameter.at("name").get<std::string>(), type_at(parameter, "type")});
  }
  function.deprecated_since = text_at(json, "deprecated");
  function.guarded = flag_at(json, "guarded");
}

Json to_json(const Record& record) {
  Json json = Json::object();
  json["kind"] = record.is_union ? "union" : "struct";
  put(json, "tag", record.tag);
  json["size"] = record.size;
  json["align"] = record.align;
  json["fields"] = Json::array();
  for (const Field& field : record.fields)
    json["fields"].push_back(field_to_json(field));
  return json;
}

void from_json(const Json& json, Record& record) {
  only(json, {"since", "until", "kind", "tag", "size", "align", "fields"});
  const std::string kind = json.at("kind").get<std::string>();
  if (kind != "struct" && kind != "union")
    throw std::invalid_argument(fmt::format("kind '{}'; struct or union is right", kind));
  record.is_union = kind == "union";
  record.tag = text_at(json, "tag");
  record.size = number_at(json, "size");
  record.align = number_at(json, "align");
  for (const Json& field : json.at("fields"))
    record.fields.push_back(field_from_json(field));
}

Json to_json(const Enum& entry) {
  Json json = Json::object();
  put(json, "tag", entry.tag);
  json["underlying"] = entry.underlying;
  return json;
}

void from_json(const Json& json, Enum& entry) {
  only(json, {"since", "until", "tag", "underlying"});
  entry.tag = text_at(json, "tag");
  entry.underlying = json.at("underlying").get<std::string>();
}

Json to_json(const EnumeratorFact& fact) {
  Json json = {{"enum", fact.enum_name}, {"value", fact.value}};
  if (fact.tie != 0) json["tie"] = fact.tie;
  return json;
}

void from_json(const Json& json, EnumeratorFact& fact) {
  only(json, {"since", "until", "enum", "value", "tie"});
  fact.enum_name = json.at("enum").get<std::string>();
  fact.value = integer_at(json, "value");
  fact.tie = json.contains("tie") ? number_at(json, "tie") : 0;
}

Json to_json(const Typedef& entry) { return {{"target", entry.target.text()}}; }

void from_json(const Json& json, Typedef& entry) {
  only(json, {"since", "until", "target"});
  entry.target = type_at(json, "target");
}

Json to_json(const Handle& handle) { return {{"tag", handle.tag}}; }

void from_json(const Json& json, Handle& handle) {
  only(json, {"since", "until", "tag"});
  handle.tag = json.at("tag").get<std::string>();
}

Json to_json(const Macro& macro) {
  Json json = Json::object();
  json["kind"] = name_of(macro.kind);
  put(json, "text", macro.text);
  if (macro.value) {
    json["type"] = macro.value->type;
    json["value"] = macro.value->is_unsigned() ? Json(macro.value->bits) : Json(macro.value->as_signed());
  }
  put(json, "unguarded", macro.unguarded);
  return json;
}

void from_json(const Json& json, Macro& macro) {
  only(json, {"since", "until", "kind", "text", "type", "value", "unguarded"});
  const std::string kind = json.at("kind").get<std::string>();
  const auto known = macro_kind_of(kind);
  if (!known) throw std::invalid_argument(fmt::format("unknown kind of macro '{}'", kind));
  macro.kind = *known;
  macro.text = text_at(json, "text");
  macro.unguarded = flag_at(json, "unguarded");
  if (!json.contains("value")) return;
  macro.value.emplace();
  macro.value->type = json.at("type").get<std::string>();
  macro.value->bits =
      macro.value->is_unsigned() ? number_at(json, "value") : static_cast<std::uint64_t>(integer_at(json, "value"));
}

Json to_json(const Counts& counts) {
  return {{"functions", counts.functions},
          {"guarded_functions", counts.guarded_functions},
          {"deprecated_functions", counts.deprecated_functions},
          {"structs", counts.structs},
          {"unions", counts.unions},
          {"enums", counts.enums},
          {"enumerators", counts.enumerators},
          {"typedefs", counts.typedefs},
          {"handles", counts.handles},
          {"macros", counts.macros}};
}

void from_json(const Json& json, Counts& counts) {
  only(json, {"functions", "guarded_functions", "deprecated_functions", "structs", "unions", "enums", "enumerators",
              "typedefs", "handles", "macros"});
  counts = {number_at(json, "functions"),
            number_at(json, "guarded_functions"),
            number_at(json, "deprecated_functions"),
            number_at(json, "structs"),
            number_at(json, "unions"),
            number_at(json, "enums"),
            number_at(json, "enumerators"),
            number_at(json, "typedefs"),
            number_at(json, "handles"),
            number_at(json, "macros")};
}

}  // namespace nvmlab::codegen
