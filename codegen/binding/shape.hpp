// SPDX-License-Identifier: Apache-2.0
// What kind of method a C function becomes: its shape, and the role of each parameter. From the types, names and rows.
// Covered by tests/unit/codegen/binding_plan_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/binding/rows.hpp"

namespace nvmlab::codegen {

enum class Shape : std::uint8_t {
  lifecycle,       // no arguments: Init, Shutdown
  error_text,      // returns a C string
  command,         // inputs only
  pointed_scalar,  // a setter with a scalar behind a pointer: the row says whether it goes in or comes out
  scalar,          // one scalar out
  scalars,         // several
  object,          // one handle out
  text,            // a text and its length by value
  text_sized,      // a text and its length behind a pointer
  text_fixed,      // a text without a length
  list,            // an array and its count behind a pointer
  sized_array,     // an array and its size by value
  filled_array,    // an array that the caller fills, and its count by value
  record,          // a plain struct out
  keyed_record,    // a plain struct, with members that the caller gives
  versioned_record,
  keyed_versioned_record,
  versioned_input,
  record_input,
  embedded_list,  // a struct that has a pointer to elements
  blob,           // bytes of a size that the function tells
  hand,           // written by a person
};
inline constexpr std::size_t kShapeCount = static_cast<std::size_t>(Shape::hand) + 1;

std::string_view name_of(Shape shape);

enum class Role : std::uint8_t {
  receiver,  // the object's own handle
  in,        // by value, or behind a pointer to const, or behind a pointer in a command
  out,
  inout,  // a struct of which the caller gives members, an array that the caller fills
  array,  // the elements of a list
  count,  // how many there are of them, behind a pointer or by value
  text,   // where the function writes a text
  size,   // the size of the text's or blob's memory, by value or behind a pointer
};

struct MethodParameter {
  Parameter c;
  Role role{};
  std::string name;  // in C++: without the prefix p, snake_case
  std::string kind;  // of the row's units
  std::string nothing;
  const Record* record = nullptr;  // the struct behind the pointer
};

struct Classified {
  Shape shape{};
  std::vector<MethodParameter> parameters;
};

// Nothing: it fits no shape. `row` may be null. The receiver is not yet marked: that is the plan's.
std::optional<Classified> classify(const Function& function, const Release& release, const FunctionRow* row);

}  // namespace nvmlab::codegen
