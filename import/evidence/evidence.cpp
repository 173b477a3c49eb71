// SPDX-License-Identifier: Apache-2.0
#include "import/evidence/evidence.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/paths.hpp"
#include "compiler/values.hpp"

namespace nvmlab::importer {
namespace {

std::string where(const yaml::Place& place) {
  return place.file == nullptr ? std::string("nowhere") : fmt::format("{}:{}", *place.file, place.line);
}

// What a board does at the moment differs in every capture; what it is and how it is set does not.
bool lasts(const compiler::FieldRef& field) {
  return field.field->kind == FieldKind::fixed || field.field->kind == FieldKind::setting;
}

// What was composed stands, in messages, where it was read.
void put_at(yaml::Node& node, const yaml::Place& place) {
  node.place = place;
  for (auto& item : node.items)
    put_at(item, place);
  for (auto& [key, value] : node.entries) {
    put_at(key, place);
    put_at(value, place);
  }
}

}  // namespace

const Fact* Subject::find(std::string_view field) const {
  const auto found = facts.find(field);
  return found == facts.end() ? nullptr : &found->second;
}

yaml::Node scalar(std::string text, bool quoted, const yaml::Place& place) {
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.scalar = std::move(text);
  node.quoted = quoted;
  node.place = place;
  return node;
}

yaml::Node answer(std::string_view code, const yaml::Place& place) {
  yaml::Node node;
  node.place = place;
  if (code == "NOT_SUPPORTED") return node;
  node.kind = yaml::Kind::mapping;
  node.entries.emplace_back(scalar("answer", false, place), scalar(std::string(code), false, place));
  return node;
}

std::size_t Evidence::source(const std::string& id, const std::string& yaml, const std::string& note) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].yaml == yaml && sources[i].note == note) return i;
  }
  std::string name = id;
  for (int n = 2; std::ranges::find(sources, name, &Source::id) != sources.end(); ++n)
    name = fmt::format("{}{}", id, n);
  sources.push_back({name, yaml, note});
  return sources.size() - 1;
}

std::size_t Evidence::noted(const std::string& id, std::size_t of, const std::string& note) {
  const Source known = sources[of];
  return source(id, known.yaml, known.note.empty() ? note : fmt::format("{}; {}", known.note, note));
}

void Evidence::state(Subject& subject, std::string_view field, const std::string& yaml, std::size_t source,
                     const yaml::Place& place) {
  auto value = yaml::parse(yaml, place.file == nullptr ? std::string() : *place.file);
  if (!value) return problems.push_back(value.error());
  put_at(*value, place);
  state(subject, field, *value, source);
}

void Evidence::state(Subject& subject, std::string_view field, const yaml::Node& value, std::size_t source) {
  const auto ref = compiler::find_field(field);
  if (!ref) return problems.push_back({value.place, ref.error()});
  std::byte* owner = ref->topic->of_node ? reinterpret_cast<std::byte*>(node_room.get())
                                         : reinterpret_cast<std::byte*>(gpu_room.get());
  std::byte* at = owner + ref->offset;
  if (!compiler::read_value(value, *ref->field, std::string(field), at, problems)) return;
  Fact fact{compiler::format_value(*ref->field, at, compiler::Style::yaml), true, source, value.place};
  fact.known = fact.yaml != "null" && !fact.yaml.starts_with("{answer:");
  auto [earlier, fresh] = subject.facts.emplace(std::string(field), fact);
  if (fresh || earlier->second.yaml == fact.yaml) return;
  Fact& known = earlier->second;
  if (!known.known && fact.known) {
    known = fact;  // an older tool, or one with fewer rights, could not tell
  } else if (known.known && fact.known && known.source != source && lasts(*ref)) {
    notes.push_back(fmt::format("{} of {}: {} says {}, but {} says {}; the first one stands", field, subject.who,
                                where(known.place), known.yaml, where(fact.place), fact.yaml));
  }
}

}  // namespace nvmlab::importer
