// SPDX-License-Identifier: Apache-2.0
#include "compiler/canonical.hpp"

#include <algorithm>
#include <cstring>

#include "compiler/values.hpp"
#include "compiler/values_raw.hpp"

namespace nvmlab::compiler {
namespace {

void copy_record(const RecordTable& record, const std::byte* from, std::byte* to);

void copy_text(const Field& field, const std::byte* from, std::byte* to) {
  const auto length = std::min(raw::load<std::uint32_t>(from), field.capacity - 1);
  raw::store(to, length);
  std::memcpy(to + raw::kDataOffset, from + raw::kDataOffset, length);
}

void copy_list(const Field& list, const std::byte* from, std::byte* to) {
  const std::uint32_t count = list_count(list, from);
  const std::uint32_t size = item_size(list);
  raw::store(to, count);
  if (list.type != FieldType::list_record) {
    std::memcpy(to + kListHead, from + kListHead, std::size_t{count} * size);
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t at = kListHead + std::size_t{i} * size;
    copy_record(*list.record, from + at, to + at);
  }
}

void copy_fact(const Field& field, const std::byte* from, std::byte* to) {
  const std::uint32_t code_at = raw::code_offset(field);
  std::memcpy(to + code_at, from + code_at, sizeof(std::uint32_t));
  const std::uint32_t code = raw::code(field, from);
  if (code != kSuccess && code != kMoving) return;  // of a fact that moves, its value says how
  if (field.type == FieldType::text) return copy_text(field, from, to);
  if (field.type == FieldType::bytes) {
    std::memcpy(to + raw::kDataOffset, from + raw::kDataOffset, field.capacity);
  } else {
    std::memcpy(to, from, code_at);
  }
}

void copy_record(const RecordTable& record, const std::byte* from, std::byte* to) {
  for (std::uint32_t i = 0; i < record.field_count; ++i) {
    const Field& field = record.fields[i];
    if (field.type == FieldType::record) {
      copy_record(*field.record, from + field.offset, to + field.offset);
    } else if (is_list(field.type)) {
      copy_list(field, from + field.offset, to + field.offset);
    } else {
      copy_fact(field, from + field.offset, to + field.offset);
    }
  }
}

template <class State>
void copy_topics(bool of_node, const State& from, State* to) {
  for (const Topic& topic : topics()) {
    if (topic.of_node != of_node) continue;
    copy_record(topic.table, reinterpret_cast<const std::byte*>(&from) + topic.offset,
                reinterpret_cast<std::byte*>(to) + topic.offset);
  }
}

// Of a fact of one word or two.
void copy_scalar(std::uint32_t size, const std::uint64_t (&from)[2], std::uint64_t (&to)[2]) {
  Field field;
  field.type = size > sizeof(Fact<std::uint32_t>) ? FieldType::u64 : FieldType::u32;
  copy_fact(field, reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to));
}

}  // namespace

void copy_canonical(const Gpu& from, Gpu* zeroed) { copy_topics(false, from, zeroed); }
void copy_canonical(const Node& from, Node* zeroed) { copy_topics(true, from, zeroed); }

Pin canonical(const Pin& pin) {
  Pin copy{pin.offset, pin.size, {}, {}};
  copy_scalar(pin.size, pin.value, copy.value);
  copy_scalar(pin.size, pin.under, copy.under);
  return copy;
}

}  // namespace nvmlab::compiler
