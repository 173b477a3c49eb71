// SPDX-License-Identifier: Apache-2.0
// The fundamental types and the state spaces of PTX. Tests: tests/unit/kernels/parser_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace nvmlab::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  tf32,
  texref,
  samplerref,
  surfref,
  e4m3x2,
  e5m2x2
};

enum class Space : std::uint8_t { generic, reg, param, shared, local, constant, global };

// none for a word that is no type; without its dot.
Type type_of(std::string_view word);
std::string_view name_of(Type type);

// In bytes; a predicate has none of its own.
std::uint32_t size_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);

}  // namespace nvmlab::ptx
