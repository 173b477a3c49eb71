// SPDX-License-Identifier: Apache-2.0
//
// The functions that do instructions, chosen by what an instruction is. They are compiled twice, for every x86-64 and
// for those with AVX2 and FMA; on other processors once. Each chooser gives null where PTX has no such form, or it is
// not executed. Tests: tests/unit/kernels/.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/code/instruction.hpp"
#include "kernels/ptx/type.hpp"

namespace nvmlab::kernels {

enum class Rounding : std::uint8_t { nearest, zero, down, up, nearest_away };

struct Numeric {  // how a floating point instruction treats its numbers
  Rounding rounding = Rounding::nearest;
  bool integral = false;  // .rni and its kin
  bool flush = false;     // .ftz
  bool saturate = false;
  bool relu = false;
  bool nan = false;     // min.NaN
  bool finite = false;  // .satfinite
};

enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class Join : std::uint8_t { none, conjunction, disjunction, exclusive };

struct Handlers {
  // By PTX's word: "add", "mul.hi", "bfe", ... Operands in PTX's order: r[0] the result, r[1] and so on.
  Handler (*integer)(std::string_view word, ptx::Type type);
  Handler (*floating)(std::string_view word, ptx::Type type, const Numeric& how);
  Handler (*half)(std::string_view word, ptx::Type type, const Numeric& how);
  Handler (*convert)(ptx::Type to, ptx::Type from, const Numeric& how);
  // r[0] and r[1] predicates (p|q), r[2] and r[3] compared, r[4] joined.
  Handler (*compare)(Comparison how, Join join, ptx::Type type, bool flush);
  Handler (*predicate)(std::string_view word);  // logic of predicates
  Handler (*select)(ptx::Type type);            // r[3] the predicate
  // r[0..count) and r[4] the address; of a store, the values.
  Handler (*load)(ptx::Type type, bool wide_register);
  Handler (*store)(ptx::Type type, bool wide_register);
  // r[0] the result where it is used, r[1] and r[2] the operands, r[4] the address.
  Handler (*atomic)(std::string_view word, ptx::Type type);
  Handler (*across)(std::string_view word, ptx::Type type);  // shfl, vote, match, redux
  Handler (*matrix)(std::string_view word);                  // "reals", "ldmatrix", ... (code/matrix.hpp)
};

namespace baseline {
const Handlers& handlers();
}
#if defined(__x86_64__)
namespace avx2 {
const Handlers& handlers();
}
#endif

// Of this processor.
const Handlers& handlers();

}  // namespace nvmlab::kernels
