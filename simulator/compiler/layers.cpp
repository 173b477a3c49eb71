// SPDX-License-Identifier: Apache-2.0
#include "compiler/layers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "compiler/deprecations.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::string_view kProfileKeys[] = {"profile", "abstract", "inherits", "doc", "sources", "source"};

std::string full_name(const Topic& topic, const Field& field, const Field* member) {
  std::string name = topic.table.name;
  (name += '.') += field.name;
  if (member != nullptr) (name += '.') += member->name;
  return name;
}

}  // namespace

void Layers::apply(const yaml::Node& mapping, const Document& document, std::span<const std::string_view> reserved,
                   GpuDraft* gpu, NodeDraft* node, std::string_view elsewhere) {
  if (mapping.is_null()) return;
  if (!mapping.is_mapping()) {
    problems_.push_back(
        mapping.error(fmt::format("{} was found; a mapping of topics would be right", mapping.describe())));
    return;
  }
  const Source* source = document.source;
  const bool own_source = &mapping != &document.root && mapping.find("source") != nullptr;
  if (own_source) source = documents_.source_at(*mapping.find("source"), document);
  for (const auto& [key, value] : mapping.entries) {
    if (std::ranges::find(reserved, std::string_view(key.scalar)) != reserved.end()) continue;
    const Topic* topic = find_topic(key.scalar);
    if (topic == nullptr) {
      std::vector<std::string> names;
      for (const Topic& candidate : topics()) {
        const bool fits = candidate.of_node ? node != nullptr : gpu != nullptr;
        if (fits) names.emplace_back(candidate.table.name);
      }
      for (const std::string_view word : reserved)
        names.emplace_back(word);
      problems_.push_back(key.error(fmt::format("there is no topic {}; {}", in_quotes(key.scalar),
                                                hint(key.scalar, names, "what may stand here"))));
      continue;
    }
    Target target{topic, &document, nullptr, nullptr};
    if (topic->of_node && node != nullptr) {
      target.bytes = node->bytes() + topic->offset;
      target.marks = &node->marks;
    } else if (!topic->of_node && gpu != nullptr) {
      target.bytes = gpu->bytes() + topic->offset;
      target.marks = &gpu->marks;
    } else {
      problems_.push_back(key.error(fmt::format("{} has no place here; {}", in_quotes(key.scalar), elsewhere)));
      continue;
    }
    apply_topic(value, target, source);
  }
}

void Layers::apply_profile(const Document& document, GpuDraft& gpu, NodeDraft& node) {
  for (const Document* layer : document.lineage())
    apply(layer->root, *layer, kProfileKeys, &gpu, &node, "");
}

void Layers::apply_topic(const yaml::Node& mapping, const Target& target, const Source* source) {
  const char* name = target.topic->table.name;
  if (mapping.is_null()) return;
  if (!mapping.is_mapping()) {
    problems_.push_back(
        mapping.error(fmt::format("{} was found; {} takes a mapping of its fields", mapping.describe(), name)));
    return;
  }
  if (const yaml::Node* own = mapping.find("source"); own != nullptr)
    source = documents_.source_at(*own, *target.document);
  for (const auto& [key, value] : mapping.entries) {
    if (key.scalar == "source") continue;
    const Field* field = find_member(target.topic->table, key, name, problems_);
    if (field == nullptr) continue;
    if (field->type == FieldType::record) {
      apply_record(value, target, *field, source);
    } else {
      apply_leaf(value, target, *field, nullptr, source, value.place);
    }
  }
}

void Layers::apply_record(const yaml::Node& node, const Target& target, const Field& field, const Source* source) {
  yaml::Node copy;
  const std::string name = full_name(*target.topic, field, nullptr);
  const yaml::Node* body = unwrap(node, *target.document, name, &source, &copy);
  if (body == nullptr) return;
  if (!body->is_mapping() && !body->is_null()) {
    problems_.push_back(body->error(fmt::format("{} was found; {} takes a mapping", body->describe(), name)));
    return;
  }
  const bool for_all = body->is_null() || body->find("answer") != nullptr;  // every member gets it
  for (std::uint32_t i = 0; for_all && i < field.record->field_count; ++i) {
    apply_leaf(*body, target, field, &field.record->fields[i], source, node.place);
  }
  if (for_all) return;
  for (const auto& [key, value] : body->entries) {
    const Field* member = find_member(*field.record, key, name, problems_);
    if (member != nullptr) apply_leaf(value, target, field, member, source, value.place);
  }
}

void Layers::apply_leaf(const yaml::Node& node, const Target& target, const Field& field, const Field* member,
                        const Source* source, const yaml::Place& place) {
  const Field& leaf = member == nullptr ? field : *member;
  const std::string name = full_name(*target.topic, field, member);
  yaml::Node copy;
  const yaml::Node* body = unwrap(node, *target.document, name, &source, &copy);
  if (body == nullptr) return;
  std::byte* at = target.bytes + field.offset + (member == nullptr ? 0 : member->offset);
  if (!is_deprecation(*body, name) && !read_value(*body, leaf, name, at, problems_)) return;
  if (source == nullptr) {
    problems_.push_back(
        node.error(fmt::format("nothing says where {} comes from; give the file a 'source', or write "
                               "{{value: ..., source: ...}}",
                               name)));
    return;
  }
  (*target.marks)[leaf_of(*target.topic, field, member)] = {source, &place, 0, answers_deprecated(*body)};
}

const yaml::Node* Layers::unwrap(const yaml::Node& node, const Document& document, std::string_view name,
                                 const Source** source, yaml::Node* copy) {
  if (!node.is_mapping()) return &node;
  const yaml::Node* value = node.find("value");
  const yaml::Node* own = node.find("source");
  if (own != nullptr) *source = documents_.source_at(*own, document);
  if (value == nullptr && own == nullptr) return &node;
  if (value == nullptr) {  // an answer or a record with a source of its own
    *copy = node;
    std::erase_if(copy->entries, [](const auto& entry) { return entry.first.scalar == "source"; });
    return copy;
  }
  bool good = true;
  for (const auto& [key, unused] : node.entries) {
    if (key.scalar == "value" || key.scalar == "source") continue;
    problems_.push_back(
        key.error(fmt::format("{} beside 'value'; {} takes {{value: ..., source: ...}}", in_quotes(key.scalar), name)));
    good = false;
  }
  return good ? value : nullptr;
}

}  // namespace nvmlab::compiler
