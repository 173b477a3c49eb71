// SPDX-License-Identifier: Apache-2.0
#include "control/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/values.hpp"

namespace nvmlab::control {
namespace {

struct Bytes {
  std::uint32_t begin;
  std::uint32_t end;
};

bool meet(const Bytes& wanted, std::uint32_t offset, std::uint32_t size) {
  return offset < wanted.end && wanted.begin < offset + size;
}

void add_record(const RecordTable& record, const std::string& path, std::uint32_t offset, const Bytes& wanted,
                std::vector<PlacedField>& found);

// The length of a list is no field; whoever changes it changes the list.
void add_items(const Field& list, const std::string& path, std::uint32_t offset, const Bytes& wanted,
               std::vector<PlacedField>& found) {
  if (meet(wanted, offset, compiler::kListHead)) return found.push_back({path, &list, offset});
  const std::uint32_t size = compiler::item_size(list);
  for (std::uint32_t i = 0; i < list.capacity; ++i) {
    const std::uint32_t at = offset + compiler::kListHead + i * size;
    if (meet(wanted, at, size)) add_record(*list.record, fmt::format("{}[{}]", path, i), at, wanted, found);
  }
}

void add_record(const RecordTable& record, const std::string& path, std::uint32_t offset, const Bytes& wanted,
                std::vector<PlacedField>& found) {
  for (std::uint32_t i = 0; i < record.field_count; ++i) {
    const Field& field = record.fields[i];
    const std::uint32_t at = offset + field.offset;
    if (!meet(wanted, at, field.size)) continue;
    const std::string name = fmt::format("{}.{}", path, field.name);
    if (field.type == FieldType::record) {
      add_record(*field.record, name, at, wanted, found);
    } else if (field.type == FieldType::list_record) {
      add_items(field, name, at, wanted, found);
    } else {
      found.push_back({name, &field, at});
    }
  }
}

}  // namespace

std::vector<PlacedField> fields_at(bool of_node, std::uint32_t offset, std::uint32_t size) {
  std::vector<PlacedField> found;
  for (const Topic& topic : topics()) {
    if (topic.of_node == of_node && meet({offset, offset + size}, topic.offset, topic.table.size))
      add_record(topic.table, topic.table.name, topic.offset, {offset, offset + size}, found);
  }
  std::ranges::sort(found, {}, &PlacedField::offset);
  return found;
}

}  // namespace nvmlab::control
