// SPDX-License-Identifier: Apache-2.0
//
// Names of values, as `nvmlab get/set` and provenance use them: topic.field, topic.record.member, topic.list[3],
// topic.list[3].member. Tests: tests/unit/compiler/paths_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/values.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::compiler {

struct FieldRef {
  // A list on the way, which must have more items than the index.
  struct Step {
    const Field* list = nullptr;
    std::uint32_t offset = 0;  // of the list
    std::uint32_t index = 0;
  };

  const Topic* topic = nullptr;
  const Field* field = nullptr;  // what the path ends in
  bool item = false;             // one item of that field, which then is a list
  std::uint32_t offset = 0;      // of the value, from the start of the Gpu or Node
  std::vector<Step> steps;
  std::string name;  // as the user wrote it
};

const Topic* find_topic(std::string_view name);
std::vector<std::string> topic_names();

// The error says what is wrong, with the nearest right name.
std::expected<FieldRef, std::string> find_field(std::string_view path);

// `owner` is the start of the Gpu, or of the Node when ref.topic->of_node.
// Returns true if every list on the way has the item that the path names.
bool is_there(const FieldRef& ref, const std::byte* owner);
std::expected<std::string, std::string> format_field(const FieldRef& ref, const std::byte* owner, Style style);
// Takes what format_field() gives and everything that a profile may hold; nothing changes when it is refused.
std::expected<void, std::string> assign_field(const FieldRef& ref, std::string_view text, std::byte* owner);
std::expected<void, std::string> assign_field(const FieldRef& ref, const yaml::Node& value, std::byte* owner);

}  // namespace nvmlab::compiler
