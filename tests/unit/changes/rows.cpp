// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/changes/rows.hpp"

#include <cstring>

namespace nvmlab::changes_test {
namespace {

std::byte* bytes(Gpu& gpu) { return reinterpret_cast<std::byte*>(&gpu); }
const std::byte* bytes(const Gpu& gpu) { return reinterpret_cast<const std::byte*>(&gpu); }

void add_rows(const Field* fields, std::uint32_t count, std::uint32_t base, const std::string& prefix,
              const std::string& cleared_by, std::uint32_t items, std::vector<Row>& rows) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Field& field = fields[i];
    const std::uint32_t offset = base + field.offset;
    const std::string path = prefix + field.name;
    const std::string own = *field.cleared_by != '\0' ? field.cleared_by : cleared_by;
    rows.push_back({&field, fields, count, base, offset, path, own});
    if (field.type == FieldType::record)
      add_rows(field.record->fields, field.record->field_count, offset, path + ".", own, items, rows);
    if (field.type != FieldType::list_record) continue;
    for (std::uint32_t item = 0; item < items && item < field.capacity; ++item) {
      add_rows(field.record->fields, field.record->field_count, offset + 8 + item * field.record->size,
               path + "[" + std::to_string(item) + "].", own, items, rows);
    }
  }
}

}  // namespace

const Field* Row::sibling(const std::string& name) const {
  for (std::uint32_t i = 0; i < sibling_count; ++i) {
    if (name == siblings[i].name) return siblings + i;
  }
  return nullptr;
}

std::vector<Row> rows_of_gpu(std::uint32_t items) {
  std::vector<Row> rows;
  for (const Topic& topic : topics()) {
    if (topic.of_node) continue;
    add_rows(topic.table.fields, topic.table.field_count, topic.offset, std::string(topic.table.name) + ".", "", items,
             rows);
  }
  return rows;
}

bool is_number(const Field& field) {
  return field.type == FieldType::u32 || field.type == FieldType::u64 || field.type == FieldType::i32 ||
         field.type == FieldType::flag;
}

std::uint64_t value_at(const Gpu& gpu, const Field& field, std::uint32_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes(gpu) + offset, field.type == FieldType::u64 ? 8 : 4);
  return value;
}

bool known_at(const Gpu& gpu, const Field& field, std::uint32_t offset) {
  std::uint32_t code = 0;
  std::memcpy(&code, bytes(gpu) + offset + (field.type == FieldType::u64 ? 8 : 4), sizeof code);
  return (code ^ kNotSupported) == kSuccess;
}

void fill(Gpu& gpu, std::uint32_t seed) {
  std::uint32_t number = seed;
  for (const Row& row : rows_of_gpu()) {
    std::byte* const at = bytes(gpu) + row.offset;
    if (row.field->type >= FieldType::list_u16) {
      const std::uint32_t count = row.field->capacity < 2 ? 1 : 2;
      std::memcpy(at, &count, sizeof count);
      continue;
    }
    if (!is_number(*row.field)) continue;
    ++number;
    const std::uint32_t value = row.field->type == FieldType::flag ? number & 1 : number;
    if (row.field->type == FieldType::u64) {
      auto& fact = *reinterpret_cast<Fact<std::uint64_t>*>(at);
      fact.set(value);
    } else {
      auto& fact = *reinterpret_cast<Fact<std::uint32_t>*>(at);
      fact.set(value);
    }
  }
}

}  // namespace nvmlab::changes_test
