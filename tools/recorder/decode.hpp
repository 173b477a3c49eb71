// SPDX-License-Identifier: Apache-2.0
// Memory that a library filled, as JSON, by the tables of the walk. Tests: tests/unit/recorder/decode_test.cpp.
#pragma once

#include <cstddef>
#include <string_view>

#include "recorder/json.hpp"
#include "recorder/mask.hpp"
#include "recorder/objects.hpp"
#include "recorder/seen.hpp"
#include "recorder/walk_row.hpp"

namespace nvmlab::recorder {

class Decoder {
 public:
  Decoder(Masker& masker, Seen& seen, const Objects& objects) : masker_(masker), seen_(seen), objects_(objects) {}

  // Values of which GPU are remembered from here on.
  void begin(int gpu) { gpu_ = gpu; }
  // By which nvmlValue_t is read where no value type stands beside it in its struct; -1: none told.
  void value_type(long long type) { value_type_ = type; }

  // One value of the field; `memory` is its own first byte, and an array is all its elements.
  void value(Json& json, const Field& field, const std::byte* memory);
  void record(Json& json, const Record& record, const std::byte* memory);
  // Elements that follow each other.
  void elements(Json& json, const Field& field, const std::byte* memory, std::uint64_t count);
  void text(Json& json, const Field& field, std::string_view value);

 private:
  void element(Json& json, const Field& field, const std::byte* memory);
  void member(Json& json, const Record& owner, const Field& field, const std::byte* memory);
  void nvml_value(Json& json, const std::byte* memory) const;

  Masker& masker_;
  Seen& seen_;
  const Objects& objects_;
  int gpu_ = -1;
  long long value_type_ = -1;
};

// The number in memory, without or with sign by the field's kind.
std::uint64_t number_at(const Field& field, const std::byte* memory);

// The first name of a value; null if none has it.
const char* name_of(const Names& names, long long value);

// A return code without NVML_ and NVML_ERROR_.
void code(Json& json, int code);

}  // namespace nvmlab::recorder
