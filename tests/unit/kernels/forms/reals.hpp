// SPDX-License-Identifier: Apache-2.0
// Floating point of the tests: roundings by the processor's mode, and small formats by their definition.
#pragma once

#include <cfenv>
#include <cmath>

#include "tests/unit/kernels/forms/kernels.hpp"

namespace nvmlab::kernels_test {

inline int mode_of(const Named& form) {
  if (form.has_one({"rz", "rzi"})) return FE_TOWARDZERO;
  if (form.has_one({"rm", "rmi"})) return FE_DOWNWARD;
  return form.has_one({"rp", "rpi"}) ? FE_UPWARD : FE_TONEAREST;
}

template <class Body>
auto in_mode(int mode, Body body) {
  std::fesetround(mode);
  const auto result = body();
  std::fesetround(FE_TONEAREST);
  return result;
}

inline float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

// What is no number has one value in f32; of f64 PTX does not say which.
inline Bits bits_of_real(float x) { return std::isnan(x) ? Bits{0x7FFFFFFF} : bits_of(x); }
inline Bits bits_of_real(double x) { return bits_of(x); }
inline bool same_double(Bits a, Bits b) { return a == b || (std::isnan(as<double>(a)) && std::isnan(as<double>(b))); }

struct Small {  // a format of 16 bits and less
  int mantissa;
  int least;  // power of the smallest normal number
  int most;   // power of the largest
};
inline constexpr Small kF16{10, -14, 15};
inline constexpr Small kBf16{7, -126, 127};
inline constexpr Small kTf32{10, -126, 127};
inline Small small_of(const std::string& type) {
  return type.starts_with("bf16") ? kBf16 : type == "tf32" ? kTf32 : kF16;
}

inline double small_value(Bits bits, Small of) {
  const int power_bits = of.most == 15 ? 5 : 8;
  const auto fraction = static_cast<double>(bits & ((Bits{1} << of.mantissa) - 1));
  const int power = static_cast<int>(bits >> of.mantissa & ((1U << power_bits) - 1));
  const double scale = std::exp2(of.mantissa);
  double size =
      power == 0 ? fraction / scale * std::exp2(of.least) : (1 + fraction / scale) * std::exp2(of.least + power - 1);
  if (power == (1 << power_bits) - 1) size = fraction == 0 ? INFINITY : NAN;
  return (bits >> (of.mantissa + power_bits) & 1) != 0 ? -size : size;
}

// The numbers of a format next to a value, on both sides of it; the nearer one, or that of the mode. away: ties go away
// from zero.
inline Bits small_bits(double value, Small of, int mode = FE_TONEAREST, bool away = false) {
  const int power_bits = of.most == 15 ? 5 : 8;
  const Bits infinity = ((Bits{1} << power_bits) - 1) << of.mantissa;
  const Bits sign = std::signbit(value) ? Bits{1} << (of.mantissa + power_bits) : 0;
  if (std::isnan(value)) return infinity | ((Bits{1} << of.mantissa) - 1);
  const double size = std::fabs(value);
  if (std::isinf(size)) return sign | infinity;
  Bits low = 0;  // the largest number that is not larger, by bisection: their order is that of their bits
  Bits high = infinity;
  while (high - low > 1) {
    const Bits middle = (low + high) / 2;
    (small_value(middle, of) <= size ? low : high) = middle;
  }
  const double below = small_value(low, of);
  if (below == size) return sign | low;
  const double above = low + 1 == infinity ? std::exp2(of.most + 1) : small_value(low + 1, of);
  const bool upwards = mode == FE_TONEAREST
                           ? size - below > above - size || (size - below == above - size && (away || (low & 1) != 0))
                       : mode == FE_TOWARDZERO ? false
                       : mode == FE_UPWARD     ? sign == 0
                                               : sign != 0;
  return sign | (upwards ? low + 1 : low);
}

// a * b + c so that rounding it to a narrow format is rounding once: what a double cannot hold leaves a trace in its
// last bit.
inline double traced(double a, double b, double c) {
  std::fesetround(FE_TOWARDZERO);
  std::feclearexcept(FE_INEXACT);
  volatile double product = a * b;
  volatile double sum = product + c;
  const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  const double kept = sum;
  if (sum == 0) return product + c;  // its sign is that of rounding to nearest
  return inexact && std::isfinite(kept) ? as<double>(bits_of(kept) | 1) : kept;
}

}  // namespace nvmlab::kernels_test
