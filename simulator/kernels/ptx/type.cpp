// SPDX-License-Identifier: Apache-2.0
#include "kernels/ptx/type.hpp"

namespace nvmlab::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  std::uint32_t size;
};

// In the order of the enumeration.
constexpr TypeRow kTypes[] = {
    {"", 0},     {"pred", 0},   {"b8", 1},         {"b16", 2},     {"b32", 4},    {"b64", 8},   {"b128", 16},
    {"u8", 1},   {"u16", 2},    {"u32", 4},        {"u64", 8},     {"s8", 1},     {"s16", 2},   {"s32", 4},
    {"s64", 8},  {"f16", 2},    {"f16x2", 4},      {"bf16", 2},    {"bf16x2", 4}, {"f32", 4},   {"f64", 8},
    {"tf32", 4}, {"texref", 8}, {"samplerref", 8}, {"surfref", 8}, {"e4m3x2", 2}, {"e5m2x2", 2}};

}  // namespace

Type type_of(std::string_view word) {
  for (std::uint8_t i = 1; i < sizeof kTypes / sizeof kTypes[0]; ++i) {
    if (kTypes[i].name == word) return static_cast<Type>(i);
  }
  return Type::none;
}

std::string_view name_of(Type type) { return kTypes[static_cast<std::uint8_t>(type)].name; }
std::uint32_t size_of(Type type) { return kTypes[static_cast<std::uint8_t>(type)].size; }
bool is_signed(Type type) { return type >= Type::s8 && type <= Type::s64; }
bool is_float(Type type) { return type >= Type::f16 && type <= Type::tf32; }

}  // namespace nvmlab::ptx
