// SPDX-License-Identifier: Apache-2.0
// mma and wmma: products of matrices that lie in the registers of a warp. Products of floating point numbers are summed
// up in double and rounded once, which is within what PTX allows and exact where the sum is.
#include <algorithm>
#include <cstring>

#include "kernels/code/matrix.hpp"
#include "kernels/ops/families.hpp"
#include "kernels/ops/fragments.hpp"
#include "kernels/ops/lanes.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

constexpr u32 kMost = 32;      // rows and columns of a sum
constexpr u32 kDeepest = 256;  // numbers of one bit in a row
constexpr u32 kDeepestReal = 16;

const Matrix& matrix_of(const Instruction& code) { return *reinterpret_cast<const Matrix*>(code.imm); }

void multiply_reals(Warp& warp, const Instruction& code, u32) {
  const Matrix& of = matrix_of(code);
  double a[kMost * kDeepestReal];
  double b[kDeepestReal * kMost];
  double sum[kMost * kMost];
  take(warp, of.a, a);
  take(warp, of.b, b);
  take(warp, of.c, sum);
  for (u32 i = 0; i < of.m; ++i) {
    for (u32 l = 0; l < of.k; ++l) {
      const double x = a[i * of.k + l];
      for (u32 j = 0; j < of.n; ++j)
        sum[i * of.n + j] += x * b[l * of.n + j];
    }
  }
  give(warp, of.d, sum);
}

void multiply_doubles(Warp& warp, const Instruction& code, u32) {
  const Matrix& of = matrix_of(code);
  const Rounded mode(static_cast<Rounding>(code.space));
  double a[kMost * kDeepestReal];
  double b[kDeepestReal * kMost];
  double sum[kMost * kMost];
  take(warp, of.a, a);
  take(warp, of.b, b);
  take(warp, of.c, sum);
  for (u32 i = 0; i < of.m * of.n; ++i) {
    for (u32 l = 0; l < of.k; ++l)
      sum[i] = __builtin_fma(a[i / of.n * of.k + l], b[l * of.n + i % of.n], sum[i]);
  }
  give(warp, of.d, sum);
}

template <bool Bits>
void multiply_integers(Warp& warp, const Instruction& code, u32) {
  const Matrix& of = matrix_of(code);
  s32 a[16 * kDeepest];
  s32 b[kDeepest * kMost / 4];
  s32 start[kMost * kMost];
  take(warp, of.a, a);
  take(warp, of.b, b);
  take(warp, of.c, start);
  for (u32 i = 0; i < of.m; ++i) {
    s64 sum[kMost] = {};
    for (u32 l = 0; l < of.k; ++l) {
      const s32 x = a[i * of.k + l];
      for (u32 j = 0; j < of.n; ++j) {
        const s32 y = b[l * of.n + j];
        sum[j] += Bits ? (of.exclusive ? x ^ y : x & y) : x * y;
      }
    }
    for (u32 j = 0; j < of.n; ++j) {
      s32& to = start[i * of.n + j];
      const s64 whole = to + sum[j];
      to = static_cast<s32>(of.saturate ? std::clamp<s64>(whole, INT32_MIN, INT32_MAX) : whole);
    }
  }
  give(warp, of.d, start);
}

}  // namespace

Handler matrix(std::string_view word) {
  if (word == "reals") return multiply_reals;
  if (word == "doubles") return multiply_doubles;
  if (word == "bits") return multiply_integers<true>;
  return word == "integers" ? multiply_integers<false> : nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
