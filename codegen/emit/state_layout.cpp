// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/state_layout.hpp"

#include <algorithm>
#include <utility>

#include "engine/store/hash.hpp"

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

constexpr std::uint64_t kSmallTopic = 1024;
constexpr std::uint64_t kLargeTopic = 8192;
constexpr std::uint64_t kSmallHead = 64;

// What is empty for most boards: lists, what the engine keeps for itself, and records as long as a list.
bool in_tail(const StateTopic& topic, const StateField& field) {
  return is_list(field) || field.type == FieldType::bytes || room_of(topic, field) > kSmallTopic;
}

std::uint64_t room_of(const StateTopic& topic) {
  std::uint64_t room = 0;
  for (const StateField& field : topic.fields)
    room += room_of(topic, field);
  return room;
}

// Of what it always tells.
std::uint64_t head_of(const StateTopic& topic) {
  std::uint64_t room = 0;
  for (const StateField& field : topic.fields)
    room += in_tail(topic, field) ? 0 : room_of(topic, field);
  return room;
}

// Small topics by their size, those with the longest heads next, large ones and those without a head at the end.
std::pair<int, std::uint64_t> place_of(const StateTopic& topic) {
  const std::uint64_t room = room_of(topic);
  const std::uint64_t head = head_of(topic);
  if (room <= kSmallTopic) return {0, room};
  if (head < kSmallHead) return {3, room};
  return {room < kLargeTopic ? 1 : 2, ~head};
}

bool has_pair(const StateTopic& topic) { return place_of(topic).first == 1 || place_of(topic).first == 2; }

std::vector<const StateField*> fields_of(const StateTopic& topic, bool tail_first) {
  std::vector<const StateField*> fields;
  for (const StateField& field : topic.fields)
    fields.push_back(&field);
  const auto tail = std::ranges::stable_partition(fields, [&](const StateField* f) { return !in_tail(topic, *f); });
  std::ranges::stable_sort(tail, {}, [&](const StateField* field) { return room_of(topic, *field); });
  if (tail_first) {
    std::ranges::reverse(tail);
    std::ranges::rotate(fields, tail.begin());
  }
  return fields;
}

}  // namespace

std::vector<TopicLayout> layout_of(const Vocabulary& vocabulary, bool of_node) {
  std::vector<TopicLayout> layout;
  for (const StateTopic& topic : vocabulary.topics) {
    if (topic.of_node == of_node) layout.push_back({&topic, {}});
  }
  std::ranges::stable_sort(layout, {}, [](const TopicLayout& each) { return place_of(*each.topic); });
  bool tail_first = false;
  for (TopicLayout& each : layout) {
    each.fields = fields_of(*each.topic, tail_first && has_pair(*each.topic));
    if (has_pair(*each.topic)) tail_first = !tail_first;
  }
  return layout;
}

std::uint64_t layout_hash(const Vocabulary& vocabulary) {
  std::uint64_t hash = kEmptyHash;
  const auto add = [&hash](const std::string& text) {
    hash = fnv1a(text.data(), text.size(), hash);
    hash = fnv1a(";", 1, hash);
  };
  for (const bool of_node : {false, true}) {
    for (const auto& [topic, fields] : layout_of(vocabulary, of_node)) {
      add(topic->name + (of_node ? " node" : " gpu"));
      for (const StateRecord& record : topic->records) {
        add(record.name);
        for (const StateField& field : record.fields)
          add(cpp_type(*topic, field) + " " + field.name);
      }
      for (const StateField* field : fields)
        add(cpp_type(*topic, *field) + " " + field->name);
    }
  }
  return hash;
}

}  // namespace nvmlab::codegen
