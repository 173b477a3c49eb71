// SPDX-License-Identifier: Apache-2.0
//
// The state vocabulary as tables: every field of a simulated node by name, type, place and rules. Generated from
// model/state/ into engine/topics/generated/tables.cpp; read by the profile compiler and by `nvmlab get/set`. The
// driver does not need names at run time and links none of it.
#pragma once

#include <cstdint>

namespace nvmlab {

enum class FieldType : std::uint8_t {
  u32,
  u64,
  i32,
  flag,
  text,
  bytes,
  record,
  list_u16,
  list_u32,
  list_u64,
  list_record
};
enum class FieldKind : std::uint8_t { fixed, setting, live, counter };

struct EnumLabel {
  const char* name;
  std::uint32_t value;
};

struct RecordTable;

struct Field {
  const char* name;
  const char* unit;  // "" where a number has none
  const char* doc;
  FieldType type;
  FieldKind kind;
  std::uint32_t offset;       // within the topic or record that holds it
  std::uint32_t size;         // bytes that it takes there
  std::uint32_t capacity;     // bytes of a text (with its NUL) or of `bytes`, items of a list; else 1
  const RecordTable* record;  // of `record` and `list_record`; else null
  const EnumLabel* labels;
  std::uint32_t label_count;
  bool ranged;
  std::int64_t low;
  std::int64_t high;
};

struct RecordTable {
  const char* name;
  std::uint32_t size;
  const Field* fields;
  std::uint32_t field_count;
};

struct Topic {
  RecordTable table;  // the topic's name and fields
  const char* doc;
  bool of_node;          // else each GPU has one
  std::uint32_t offset;  // within Gpu or Node
};

struct TopicList {
  const Topic* items;
  std::uint32_t count;
  const Topic* begin() const { return items; }
  const Topic* end() const { return items + count; }
};

// All topics, in the order of their names.
TopicList topics();

}  // namespace nvmlab
