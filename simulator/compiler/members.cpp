// SPDX-License-Identifier: Apache-2.0
// What the tables of the state say of records and lists, for whoever reads and writes their values.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "compiler/values.hpp"
#include "compiler/values_raw.hpp"

namespace nvmlab::compiler {

const Field* find_member(const RecordTable& record, std::string_view name) {
  for (std::uint32_t i = 0; i < record.field_count; ++i) {
    if (name == record.fields[i].name) return &record.fields[i];
  }
  return nullptr;
}

std::vector<std::string> member_names(const RecordTable& record) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < record.field_count; ++i)
    names.emplace_back(record.fields[i].name);
  return names;
}

const Field* find_member(const RecordTable& record, const yaml::Node& key, std::string_view owner, Problems& problems) {
  const Field* member = find_member(record, key.scalar);
  if (member == nullptr) {
    problems.push_back(key.error(fmt::format("{} has no field {}; {}", owner, in_quotes(key.scalar),
                                             hint(key.scalar, member_names(record), "its fields"))));
  }
  return member;
}

bool is_list(FieldType type) {
  return type == FieldType::list_u16 || type == FieldType::list_u32 || type == FieldType::list_u64 ||
         type == FieldType::list_record;
}

std::uint32_t item_size(const Field& list) {
  switch (list.type) {
    case FieldType::list_u16:
      return 2;
    case FieldType::list_u32:
      return 4;
    case FieldType::list_u64:
      return 8;
    case FieldType::list_record:
      return list.record->size;
    default:
      return 0;
  }
}

std::uint32_t list_count(const Field& list, const std::byte* at) {
  return std::min(raw::load<std::uint32_t>(at), list.capacity);
}

}  // namespace nvmlab::compiler
