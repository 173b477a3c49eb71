// SPDX-License-Identifier: Apache-2.0
// The model's own files: topics of the state as codegen/state/ reads them, verdicts as codegen/meaning/ does.
#include "codegen/emit/schema/schema.hpp"

namespace nvmlab::codegen::schema {
namespace {

Json field_of_state() {
  return mapping(
      {{"type", pattern("^(u32|u64|i32|flag|text\\([0-9]+\\)|bytes\\([0-9]+\\)|record\\([a-z0-9_]+\\)|"
                        "list\\([a-z0-9_]+, *[0-9]+\\))$")},
       {"kind", one_of_words({"fixed", "setting", "live", "counter"})},
       {"unit", text()},
       {"labels", mapping_to({{"type", "integer"}, {"minimum", 0}})},
       {"bits", mapping_to({{"type", "integer"}, {"minimum", 1}})},
       {"range", {{"type", "array"}, {"items", {{"type", "integer"}}}, {"minItems", 2}, {"maxItems", 2}}},
       {"within", {{"type", "array"}, {"items", {{"type", {"integer", "string"}}}}, {"minItems", 2}, {"maxItems", 2}}},
       {"set_by", pattern("^(none|nvml[A-Za-z0-9_]+)$")},
       {"follows", pattern("^[a-z_]+$")},
       {"default", text()},
       {"reset", one_of_words({"keep", "default", "reload", "pending"})},
       {"cleared_by", list_of(text())},
       {"derived", mapping({{"by", text()}, {"from", list_of(text())}}, {"by", "from"})},
       {"unit_specific", {{"const", true}}},
       {"doc", text()}},
      {"type", "kind", "doc"});
}

// What a verdict is; exactly one of them, but that `read` stands beside `item` and `list`.
const std::vector<std::string>& verdict_kinds() {
  static const std::vector<std::string> kinds = {"read",   "item",    "list", "length",      "find",   "write",
                                                 "change", "same_as", "call", "unsupported", "refused"};
  return kinds;
}

Json verdict() {
  const Json anything = true;
  const Json names = list_of(text());
  Json properties = {{"call", {{"description", "A person wrote the body: why data could not"}, {"type", "string"}}},
                     {"change", pattern("^[A-Z][A-Za-z0-9]+$")},
                     {"same_as", pattern("^nvml[A-Za-z0-9_]+$")},
                     {"unsupported", {{"description", "Why it is refused"}, {"type", "string"}}},
                     {"refused", {{"description", "One of the file's `reasons`"}, {"type", "string"}}},
                     {"answer", text()},
                     {"otherwise", text()},
                     {"optional", names},
                     {"before_init", one_of_words({"yes"})},
                     {"permission", one_of_words({"root", "mig"})},
                     {"versions", list_of({{"type", "integer"}})},
                     {"text_size", {{"type", "integer"}}},
                     {"parameters", mapping_to(text())},
                     {"of", anything},
                     {"where", anything},
                     {"layout", text()}};
  for (const char* form :
       {"read",    "item",    "list",  "length",   "find",  "write",    "by",         "choices", "supported",
        "enabled", "in",      "below", "protocol", "count", "empty",    "missing",    "having",  "at",
        "key",     "visible", "inner", "inner_at", "any",   "disabled", "newer_than", "layouts", "with"})
    properties[form] = anything;
  Json made = mapping(std::move(properties));
  Json one = Json::array();
  for (const std::string& kind : verdict_kinds())
    one.push_back({{"required", {kind}}});
  made["anyOf"] = std::move(one);
  return made;
}

}  // namespace

Json state() {
  const Json fields = mapping_to(refer("field"));
  Json made = mapping({{"topic", text()},
                       {"of", one_of_words({"gpu", "node"})},
                       {"doc", text()},
                       {"records", mapping_to(fields)},
                       {"fields", fields}},
                      {"topic", "fields"});
  made["definitions"] = {{"field", field_of_state()}};
  return made;
}

Json meaning() {
  const Json functions = {{"type", "object"},
                          {"propertyNames", pattern("^nvml[A-Za-z0-9_]+$")},
                          {"additionalProperties", refer("verdict")}};
  const Json reason = mapping({{"why", text()}, {"answer", text()}}, {"why"});
  const Json subject = mapping({{"items", text()},
                                {"made", text()},
                                {"by", true},
                                {"members", mapping_to(one_of_words({"u32", "u64", "text", "handle"}))}});
  Json made = mapping(
      {{"topic", text()}, {"reasons", mapping_to(reason)}, {"subjects", mapping_to(subject)}, {"functions", functions}},
      {"topic", "functions"});
  made["definitions"] = {{"verdict", verdict()}};
  return made;
}

Json ids() {
  const Json anything = true;
  const Json number = {{"type", "integer"}};
  Json field = {{"times", number}, {"number", number}, {"clear", one_of_words({"yes"})}, {"answer", text()}};
  for (const char* form : {"read", "link", "port", "c2c", "smoothing_profile", "sum", "bandwidth", "bandwidth_sum",
                           "length", "where", "count", "count_switched", "unsupported"})
    field[form] = anything;
  Json metric = Json::object();
  for (const char* form :
       {"percent", "engine_percent", "kbps", "since_boot", "link_rate", "link_rate_sum", "link_since_boot", "c2c_rate",
        "c2c_rate_sum", "graphics_count", "graphics_ratio", "graphics_percent"})
    metric[form] = anything;
  return mapping(
      {{"fields", mapping_to(mapping(std::move(field)))}, {"metrics", mapping_to(mapping(std::move(metric)))}});
}

}  // namespace nvmlab::codegen::schema
