// SPDX-License-Identifier: Apache-2.0
// What mma, wmma, ldmatrix and their kin work on: the registers of a warp that together hold a matrix. Instructions
// have no room for it, so it belongs to the function (FunctionCode::matrices) and Instruction::imm points at it. Tests:
// tests/unit/kernels/forms/matrices.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/code/instruction.hpp"

namespace nvmlab::kernels {

enum class Element : std::uint8_t { none, f16, bf16, tf32, f32, f64, e4m3, e5m2, s8, u8, s4, u4, b1, b16, s32 };

inline Element element_of(std::string_view word) {
  constexpr std::string_view kWords[] = {"",   "f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2",
                                         "s8", "u8",  "s4",   "u4",   "b1",  "b16", "s32"};
  for (std::uint8_t i = 1; i < sizeof kWords / sizeof kWords[0]; ++i) {
    if (kWords[i] == word) return static_cast<Element>(i);
  }
  return Element::none;
}

inline std::uint32_t bits_of(Element element) {
  constexpr std::uint8_t kBits[] = {0, 16, 16, 32, 32, 64, 8, 8, 8, 8, 4, 4, 1, 16, 32};
  return kBits[static_cast<std::uint8_t>(element)];
}

// A matrix in registers. parted: as mma lays it out, which PTX says; else as wmma, which is nobody's business but ours:
// elements one behind the other, row by row, the same number for each lane.
struct Fragment {
  enum class Part : std::uint8_t { a, b, sum } part = Part::a;
  Element element = Element::none;
  bool parted = false;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t count = 0;  // of registers
  Ref r[8];
};

struct Matrix {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  bool saturate = false;
  bool exclusive = false;  // of bits: xor, not and
  bool column = false;     // in memory, column by column
  bool transposed = false;
  Fragment a;
  Fragment b;
  Fragment c;
  Fragment d;
  Ref address;              // generic
  Ref stride;               // in elements
  std::uint32_t dense = 0;  // the stride where none is named
};

}  // namespace nvmlab::kernels
