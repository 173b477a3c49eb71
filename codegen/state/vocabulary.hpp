// SPDX-License-Identifier: Apache-2.0
//
// The state vocabulary (model/state/*.yaml) as a checked model. model/state/README.md describes the form.
// Tests: tests/unit/codegen/vocabulary_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "codegen/error.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::codegen {

struct StateField {
  std::string name;
  FieldType type{};
  FieldKind kind{};
  std::uint32_t capacity = 1;
  std::string record;  // of `record` and `list_record`
  std::string unit;
  std::string doc;
  std::vector<std::pair<std::string, std::uint32_t>> labels;
  std::vector<std::pair<std::string, std::uint32_t>> bits;  // of a bit mask
  bool ranged = false;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::string lowest;   // the board's range: numbers, or names of fields beside it or as topic.field; "" without one
  std::string highest;  // the same
  std::string set_by;   // of a setting: the NVML function that sets it, or "none"
  std::string follows;  // the rule in engine/topics/ that runs after the field was written
  ResetRule reset = ResetRule::keep;
  bool reset_given = false;
  std::string default_value;              // a number, the name of a field beside it, or "none"
  std::vector<std::string> cleared_by;    // of a counter: what sets it back to zero
  std::string derived;                    // the function of the engine that gives its value
  std::vector<std::string> derived_from;  // fields, as topic.field
  bool unit_specific = false;
};

inline bool is_list(const StateField& field) { return field.type >= FieldType::list_u16; }

struct StateRecord {
  std::string name;
  std::vector<StateField> fields;
};

struct StateTopic {
  std::string name;
  std::string doc;
  bool of_node = false;
  std::vector<StateRecord> records;
  std::vector<StateField> fields;

  const StateField* find(const std::string& field) const;
  const StateRecord* record(const std::string& name) const;
};

struct Vocabulary {
  std::vector<StateTopic> topics;  // by name
  const StateTopic* find(const std::string& topic) const;
};

// "power_draw" -> "PowerDraw"
std::string pascal_case(const std::string& snake);

// The C++ type of a field as generated code spells it.
std::string cpp_type(const StateTopic& topic, const StateField& field);

Result<Vocabulary> load_vocabulary(const std::filesystem::path& folder);

}  // namespace nvmlab::codegen
