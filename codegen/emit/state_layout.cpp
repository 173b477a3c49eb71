// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/state_layout.hpp"

#include <algorithm>

#include "engine/machine/hash.hpp"

namespace nvmlab::codegen {
namespace {

// About how much of the state a field takes, in bytes.
std::uint64_t room_of(const StateTopic& topic, const StateField& field) {
  std::uint64_t item = 0;
  switch (field.type) {
    case FieldType::text:
    case FieldType::bytes:
      item = 1;
      break;
    case FieldType::list_u16:
      item = sizeof(std::uint16_t);
      break;
    case FieldType::list_u32:
      item = sizeof(std::uint32_t);
      break;
    case FieldType::record:
    case FieldType::list_record:
      for (const StateField& member : topic.record(field.record)->fields)
        item += room_of(topic, member);
      break;
    default:
      item = sizeof(std::uint64_t);
  }
  return item * field.capacity;
}

}  // namespace

std::vector<const StateField*> in_order_of_layout(const StateTopic& topic) {
  std::vector<const StateField*> fields;
  for (const StateField& field : topic.fields)
    fields.push_back(&field);
  std::ranges::stable_partition(fields, [](const StateField* field) { return !is_list(*field); });
  return fields;
}

std::vector<const StateTopic*> in_order_of_layout(const Vocabulary& vocabulary, bool of_node) {
  std::vector<const StateTopic*> topics;
  for (const StateTopic& topic : vocabulary.topics) {
    if (topic.of_node == of_node) topics.push_back(&topic);
  }
  std::ranges::stable_sort(topics, {}, [](const StateTopic* topic) {
    std::uint64_t room = 0;
    for (const StateField& field : topic->fields)
      room += room_of(*topic, field);
    return room;
  });
  return topics;
}

std::uint64_t layout_hash(const Vocabulary& vocabulary) {
  std::uint64_t hash = kEmptyHash;
  const auto add = [&hash](const std::string& text) {
    hash = fnv1a(text.data(), text.size(), hash);
    hash = fnv1a(";", 1, hash);
  };
  for (const bool of_node : {false, true}) {
    for (const StateTopic* topic : in_order_of_layout(vocabulary, of_node)) {
      add(topic->name + (of_node ? " node" : " gpu"));
      for (const StateRecord& record : topic->records) {
        add(record.name);
        for (const StateField& field : record.fields)
          add(cpp_type(*topic, field) + " " + field.name);
      }
      for (const StateField* field : in_order_of_layout(*topic))
        add(cpp_type(*topic, *field) + " " + field->name);
    }
  }
  return hash;
}

}  // namespace nvmlab::codegen
