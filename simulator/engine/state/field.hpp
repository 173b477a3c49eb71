// SPDX-License-Identifier: Apache-2.0
//
// The state vocabulary as tables: every field of a simulated node by name, type, place and rules. Generated from
// model/state/ into engine/state/generated/tables.cpp; read by the profile compiler and by `nvmlab get/set`. The
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

// What becomes of a field when its GPU starts over.
enum class ResetRule : std::uint8_t {
  keep,        // stored on the board, or told by whoever runs the machine
  to_default,  // back to its default at every reset
  reload,      // back to its default when the driver initialises the GPU anew, but not at a reset (nvidia-smi -r)
  pending,     // the value of the field NAME_pending comes into force
};

struct EnumLabel {
  const char* name;
  std::uint32_t value;
};

struct RecordTable;

struct Field {
  const char* name = "";
  const char* unit = "";  // where a number has none
  const char* doc = "";
  FieldType type{};
  FieldKind kind{};
  std::uint32_t offset = 0;             // within the topic or record that holds it
  std::uint32_t size = 0;               // bytes that it takes there
  std::uint32_t capacity = 1;           // bytes of a text (with its NUL) or of `bytes`, items of a list; else 1
  const RecordTable* record = nullptr;  // of `record` and `list_record`
  const EnumLabel* labels = nullptr;
  std::uint32_t label_count = 0;
  const EnumLabel* bits = nullptr;  // of a bit mask
  std::uint32_t bit_count = 0;
  bool ranged = false;
  std::int64_t low = 0;
  std::int64_t high = 0;
  const char* lowest = "";   // the board's range: a number, or the path of the field that holds it; "" without one
  const char* highest = "";  // the same
  const char* set_by = "";   // of a setting: the NVML function that sets it, or "none"
  ResetRule reset = ResetRule::keep;
  const char* default_value =
      "";  // a number, the name of a field beside it, "none" (not supported, empty), or "" without one
  const char* cleared_by = "";    // of a counter: what sets it back to zero, parted by spaces
  const char* derived_from = "";  // the fields that it follows from, parted by spaces; "" where it is stored
  bool unit_specific = false;     // tells one unit from another of the same board, or says where it sits
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
  class Iterator {
   public:
    explicit Iterator(const Topic* const* at) : at_(at) {}
    const Topic& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Topic* const* at_;
  };

  const Topic* const* items;
  std::uint32_t count;
  Iterator begin() const { return Iterator(items); }
  Iterator end() const { return Iterator(items + count); }
};

// All topics, in the order of their names.
TopicList topics();

}  // namespace nvmlab
