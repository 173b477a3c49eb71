// SPDX-License-Identifier: Apache-2.0
// Modifiers that say how a floating point instruction rounds and what it does about extremes.
#pragma once

#include "kernels/lowering/words.hpp"
#include "kernels/ops/handlers.hpp"

namespace nvmlab::kernels {

inline void take_numeric(Words& words, Numeric* how) {
  constexpr struct {
    std::string_view word;
    Rounding rounding;
    bool integral;
  } kRoundings[] = {
      {"rn", Rounding::nearest, false}, {"rz", Rounding::zero, false},          {"rm", Rounding::down, false},
      {"rp", Rounding::up, false},      {"rna", Rounding::nearest_away, false}, {"rni", Rounding::nearest, true},
      {"rzi", Rounding::zero, true},    {"rmi", Rounding::down, true},          {"rpi", Rounding::up, true}};
  for (const auto& each : kRoundings) {
    if (!words.take(each.word)) continue;
    how->rounding = each.rounding;
    how->integral = each.integral;
  }
  how->flush = words.take("ftz");
  how->saturate = words.take("sat");
  how->finite = words.take("satfinite");
  how->relu = words.take("relu");
  how->nan = words.take("NaN");
  words.take("approx");
  words.take("full");
}

// As it lies in Instruction::imm (ops/numbers.hpp reads it).
inline std::uint64_t packed_numeric(const Numeric& how) {
  return static_cast<std::uint64_t>(how.flush) | static_cast<std::uint64_t>(how.saturate) << 1 |
         static_cast<std::uint64_t>(how.relu) << 2 | static_cast<std::uint64_t>(how.nan) << 3 |
         static_cast<std::uint64_t>(how.integral) << 4 | static_cast<std::uint64_t>(how.finite) << 6 |
         static_cast<std::uint64_t>(how.rounding) << 8;
}

}  // namespace nvmlab::kernels
