// SPDX-License-Identifier: Apache-2.0
#include "command/compare/json.hpp"

#include <cmath>

namespace nvmlab::tool {
namespace {

using compare::Part;
using compare::Statement;
using compare::StatementShape;

Json value_of(const std::string& text, bool number) {
  if (!number) return text;
  const auto parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() ? parsed : Json(text);
}

Json json_of(const Part* part) {
  if (part == nullptr) return nullptr;
  if (part->code) return {{"code", part->text}};
  return {{"value", value_of(part->text, part->number)}};
}

// Of a list or record the number of its parts stands here, and what differs in "parts".
Json json_of(const Statement* statement) {
  if (statement == nullptr) return nullptr;
  Json out = Json::object();
  const bool nothing_assumed = !statement->observed && statement->silent;
  if (nothing_assumed) return nullptr;
  if (statement->code) {
    out["code"] = statement->text;
  } else if (statement->shape == StatementShape::list) {
    out["items"] = statement->count;
  } else if (statement->shape == StatementShape::text || statement->shape == StatementShape::number) {
    out["value"] = value_of(statement->text, statement->shape == StatementShape::number);
    if (!statement->unit.empty()) out["unit"] = statement->unit;
  }
  if (!statement->observed) out["assumed"] = true;
  if (!statement->origin.empty()) out["source"] = {{"kind", statement->origin}, {"text", statement->origin_text}};
  return out;
}

Json json_of(const compare::Side& side) {
  return {{"name", side.name}, {"kind", side.kind}, {"what", side.what}, {"gpus", side.gpus.size()}};
}

Json json_of(const compare::Line& line) {
  Json out = {{"class", name_of(line.which)}, {"topic", line.any().topic}, {"name", line.any().name}};
  out["gpus"] = Json::array();
  for (const auto& [a, b] : line.gpus)
    out["gpus"].push_back({a, b});
  out["a"] = json_of(line.a);
  out["b"] = json_of(line.b);
  if (line.a == nullptr || line.b == nullptr) return out;
  if (line.a->parts.empty() && line.b->parts.empty()) return out;
  out["parts"] = Json::array();
  for (const auto& pair : different_parts(*line.a, *line.b)) {
    const Part& any = pair.a != nullptr ? *pair.a : *pair.b;
    out["parts"].push_back({{"name", any.name}, {"a", json_of(pair.a)}, {"b", json_of(pair.b)}});
  }
  return out;
}

}  // namespace

Json json_of(const TwoSides& sides, const compare::Report& report, const Shown& shown) {
  Json out = {{"nvmlab_compare", 1}, {"a", json_of(*sides.a)}, {"b", json_of(*sides.b)}, {"level", sides.level}};
  const compare::Matching& matching = report.matching;
  Json pairs = Json::array();
  for (const auto& [a, b] : matching.pairs)
    pairs.push_back({a, b});
  out["matching"] = {
      {"by", name_of(matching.how)}, {"pairs", pairs}, {"only_a", matching.only_a}, {"only_b", matching.only_b}};
  out["counts"] = Json::object();
  for (std::size_t i = 0; i < compare::class_names.size(); ++i)
    out["counts"][std::string(compare::class_names[i])] = report.counts[i];
  out["assumed_equal"] = report.assumed_equal;
  out["agreement"] = {{"equal", report.steady_equal},
                      {"compared", report.steady_compared},
                      {"percent", std::floor(report.agreement() * 100) / 100}};
  out["differences"] = Json::array();
  for (const compare::Line& line : group_rows(report)) {
    if (shown.has(line.which)) out["differences"].push_back(json_of(line));
  }
  return out;
}

}  // namespace nvmlab::tool
