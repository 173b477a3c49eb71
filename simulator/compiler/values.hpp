// SPDX-License-Identifier: Apache-2.0
//
// The one place that turns what people write into the bytes of a field and back: types, ranges, words, capacities,
// answers. Profiles, `nvmlab set` and the reader of foreign configurations all come through here, so a value that one
// of them refuses, all refuse. What format_value() writes in YAML style, read_value() reads to the same bytes.
//
// In YAML:  number 700000, 0x1EB8, 1_000      quantity 700 W, 1.41 GHz, 81559 MiB, in any unit of the field's kind
//           word enabled                      bits of a mask sw_power_cap, or [hw_slowdown, hw_thermal_slowdown]
//           null = NVML_ERROR_NOT_SUPPORTED
//           {answer: DEPRECATED} = that return code in place of the value
//           list of numbers [1, 2, {from: 300, to: 210, step: 15}]
//           list of records [{a: 1}, {repeat: 4, a: 2}]
// Tests: tests/unit/compiler/values_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/yaml/tree.hpp"
#include "compiler/problems.hpp"
#include "engine/state/code.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::compiler {

enum class Style : unsigned char { yaml, people };

// Reads into the `field.size` bytes at `at`. `name` is the field's full name, for messages. A record keeps the members
// that the mapping does not name; a list is replaced. False when something was wrong: then `problems` says what, and
// the bytes are unspecified but valid.
bool read_value(const yaml::Node& node, const Field& field, std::string_view name, std::byte* at, Problems& problems);

// One item of a list of numbers or records.
bool read_item(const yaml::Node& node, const Field& list, std::string_view name, std::byte* at, Problems& problems);

// A value that is neither a list nor a record, for everything that writes values in a form of its own.
struct NoValue {
  Code code;  // that NVML returns instead: kNotSupported, or another one
};
struct Word {
  std::string_view name;  // of the number
};
using Scalar = std::variant<NoValue, std::uint64_t, std::int64_t, Word, std::string>;
Scalar scalar_of(const Field& field, const std::byte* at);
std::uint64_t number_in(const Field& list, const std::byte* at);  // an item of a list of numbers

std::string format_value(const Field& field, const std::byte* at, Style style);
std::string format_item(const Field& list, const std::byte* at, Style style);

// The member that a key names, with a hint into `problems` when there is none. `owner` is the record's name in
// messages.
const Field* find_member(const RecordTable& record, const yaml::Node& key, std::string_view owner, Problems& problems);
const Field* find_member(const RecordTable& record, std::string_view name);
std::vector<std::string> member_names(const RecordTable& record);

bool is_list(FieldType type);
std::uint32_t item_size(const Field& list);
// Items of a list start behind its count; a count beyond the capacity is cut.
inline constexpr std::uint32_t kListHead = 8;
std::uint32_t list_count(const Field& list, const std::byte* at);

}  // namespace nvmlab::compiler
