// SPDX-License-Identifier: Apache-2.0
//
// Facts as bytes, by their tables: the layouts of engine/state/fact.hpp without its types. Internal to the two halves
// of values (reading and formatting). Tests: tests/unit/compiler/values_test.cpp, which compares with the typed
// layouts.
#pragma once

#include <cstdint>
#include <cstring>

#include "engine/state/fact.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::compiler::raw {

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Where a fact keeps its return code: behind the value of a number, before the bytes of a text.
inline std::uint32_t code_offset(const Field& field) { return field.type == FieldType::u64 ? 8 : 4; }
inline constexpr std::uint32_t kDataOffset = 8;  // of Text and Bytes

inline std::uint32_t code(const Field& field, const std::byte* at) {
  return load<std::uint32_t>(at + code_offset(field)) ^ kNotSupported;
}

inline void set_error(const Field& field, std::byte* at, std::uint32_t return_code) {
  std::memset(at, 0, field.size);
  store<std::uint32_t>(at + code_offset(field), return_code ^ kNotSupported);
}

inline void set_success(const Field& field, std::byte* at) {
  store<std::uint32_t>(at + code_offset(field), kSuccess ^ kNotSupported);
}

}  // namespace nvmlab::compiler::raw
