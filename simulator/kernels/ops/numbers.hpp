// SPDX-License-Identifier: Apache-2.0
// Floating point numbers that the processor does not have, and roundings that it does not make. Everything is computed
// in double, of which each narrower number is one, and rounded once. Tests: tests/unit/kernels/forms_test.cpp.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

#include "kernels/ops/handlers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {

// The rounding mode of the processor, put back at the end of the scope.
class Rounded {
 public:
  explicit Rounded(Rounding how) : changed_(how != Rounding::nearest && how != Rounding::nearest_away) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    if (changed_) std::fesetround(kModes[static_cast<int>(how)]);
  }
  ~Rounded() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  Rounded(const Rounded&) = delete;
  Rounded& operator=(const Rounded&) = delete;

 private:
  bool changed_;
};

struct Format {
  int mantissa;
  int exponent;
};
inline constexpr Format kHalf{10, 5};
inline constexpr Format kBrain{7, 8};
inline constexpr Format kTensor{10, 8};

// Stand for these formats where a type is needed.
struct Half {};
struct Brain {};
struct Tensor {};

inline double widened(std::uint32_t bits, Format of) {
  const int bias = (1 << (of.exponent - 1)) - 1;
  const auto fraction = static_cast<double>(bits & ((1U << of.mantissa) - 1));
  const auto power = static_cast<int>(bits >> of.mantissa & ((1U << of.exponent) - 1));
  const bool negative = (bits >> (of.mantissa + of.exponent) & 1) != 0;
  double value;
  if (power == (1 << of.exponent) - 1) {
    value = fraction == 0 ? HUGE_VAL : std::bit_cast<double>(0x7FF8000000000000);
  } else if (power == 0) {
    value = std::ldexp(fraction, 1 - bias - of.mantissa);
  } else {
    value = std::ldexp(fraction + static_cast<double>(1U << of.mantissa), power - bias - of.mantissa);
  }
  return negative ? -value : value;
}

inline double to_integral(double value, Rounding how) {
  switch (how) {
    case Rounding::zero:
      return std::trunc(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    case Rounding::nearest_away:
      return std::round(value);
    default:
      return std::nearbyint(value);
  }
}

inline std::uint32_t narrowed(double value, Format to, Rounding how) {
  const std::uint32_t infinity = ((1U << to.exponent) - 1) << to.mantissa;
  if (std::isnan(value)) return infinity | ((1U << to.mantissa) - 1);
  const bool negative = std::signbit(value);
  const std::uint32_t sign = negative ? 1U << (to.mantissa + to.exponent) : 0;
  const double size = std::fabs(value);
  if (std::isinf(size)) return sign | infinity;
  if (size == 0) return sign;
  int power = 0;
  std::frexp(size, &power);
  --power;
  const int least = 2 - (1 << (to.exponent - 1));
  const int from = power < least ? least : power;
  const Rounding direction = !negative               ? how
                             : how == Rounding::down ? Rounding::up
                             : how == Rounding::up   ? Rounding::down
                                                     : how;
  const auto digits = static_cast<std::uint32_t>(to_integral(std::ldexp(size, to.mantissa - from), direction));
  std::uint32_t bits = digits;
  if (power >= least)
    bits = (static_cast<std::uint32_t>(from - least + 1) << to.mantissa) + digits - (1U << to.mantissa);
  if (bits >= infinity) bits = direction == Rounding::zero || direction == Rounding::down ? infinity - 1 : infinity;
  return sign | bits;
}

// .satfinite: the largest number instead of infinity.
inline std::uint32_t finite(std::uint32_t bits, Format of) {
  const std::uint32_t infinity = ((1U << of.exponent) - 1) << of.mantissa;
  return (bits & (infinity | ((1U << of.mantissa) - 1))) == infinity ? bits - 1 : bits;
}

// a * b + c, rounded to odd where a double cannot hold it, so that rounding it once more is rounding it once. The
// product must be exact in a double.
inline double odd_sum(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double back = sum - product;
  const double rest = (product - (sum - back)) + (c - back);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (rest == 0 || (bits & 1) != 0) return sum;
  return std::bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// An integer as a double that is rounded to odd.
inline double odd_double(std::uint64_t value) {
  if (value >> 53 != 0) value = (value & ~std::uint64_t{2047}) | ((value & 2047) != 0 ? 2048 : 0);
  return static_cast<double>(value);
}

// Of Instruction::imm, where lowering/numeric.hpp puts it.
inline Numeric unpacked(std::uint64_t bits) {
  return {static_cast<Rounding>(bits >> 8),
          (bits & 16) != 0,
          (bits & 1) != 0,
          (bits & 2) != 0,
          (bits & 4) != 0,
          (bits & 8) != 0,
          (bits & 64) != 0};
}

inline float flushed(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7F800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : x;
}
inline float canonical(float x) { return x != x ? std::bit_cast<float>(0x7FFFFFFFU) : x; }
inline double canonical(double x) { return x; }
template <class T>
inline T saturated(T x) {
  return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
