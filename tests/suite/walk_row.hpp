// SPDX-License-Identifier: Apache-2.0
// What a row of the walk says (generated/walk.hpp): a getter, and for each parameter what a caller passes and what
// comes back. Nothing here knows the library that is walked.
#pragma once

#include <cstdint>
#include <span>

namespace nvmlab::suite {

// How a value is shown.
enum class Kind : char { number = 'u', integer = 'i', real = 'f', text = 't', bytes = 'x' };

enum class Role : char {
  device,       // a GPU, each in turn
  peer,         // another GPU, the next one
  choice,       // an enumerator, each in turn
  number,       // of a link, fan, sensor ..., the first few
  text,         // room for a text
  text_length,  // of that room
  scalar,       // room for one value
  structure,    // room for a struct, with its version word where it has one
  count,        // of items: in what fits, out what there is
  items,        // room for that many
  room          // a number of items by value
};

struct Field {
  const char* name;
  std::uint32_t offset;
  std::uint32_t size;
  Kind kind;
};

struct Parameter {
  const char* name;
  Role role;
  Kind kind;           // of a scalar
  std::uint32_t size;  // of a scalar, a struct or an item
  std::uint32_t version;
  std::span<const long long> values;  // of a choice
  std::span<const Field> fields;      // of a struct
};

// Whether what is read may change by itself, as far as the model of the node knows.
enum class Moves : char { unknown, never, upwards };

struct Function {
  const char* name;
  Moves moves;
  std::span<const Parameter> parameters;
};

}  // namespace nvmlab::suite
