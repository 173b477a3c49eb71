// SPDX-License-Identifier: Apache-2.0
// Floating point numbers of 8 bits, e4m3 (which has no infinity) and e5m2, and a quick way from f16. Tests:
// tests/unit/kernels/forms/.
#pragma once

#include "kernels/ops/numbers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {

inline constexpr Format kE5m2{2, 5};

// Scaled by the processor, which makes subnormals right, too.
inline double quick_half(std::uint32_t bits) {
  const float scaled = std::bit_cast<float>((bits & 0x7FFF) << 13) * 0x1p112F;
  const std::uint32_t special = (bits & 0x7C00) == 0x7C00 ? 0x7F800000U : 0U;
  return static_cast<double>(
      std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | (bits & 0x8000) << 16));
}

inline double from_e5m2(std::uint32_t bits) { return quick_half(bits << 8); }

inline double from_e4m3(std::uint32_t bits) {
  if ((bits & 0x7F) == 0x7F) return std::bit_cast<double>(0x7FF8000000000000);
  const auto fraction = static_cast<double>(bits & 7);
  const auto power = static_cast<int>(bits >> 3 & 15);
  const double size = power == 0 ? std::ldexp(fraction, -9) : std::ldexp(fraction + 8, power - 10);
  return (bits & 0x80) != 0 ? -size : size;
}

// Rounded to nearest; what is too large becomes the largest number.
inline std::uint32_t to_e5m2(double value) {
  if (std::isnan(value)) return 0x7F;
  const std::uint32_t bits = narrowed(value, kE5m2, Rounding::nearest);
  return (bits & 0x7F) >= 0x7C ? (bits & 0x80) | 0x7B : bits;
}

inline std::uint32_t to_e4m3(double value) {
  if (std::isnan(value)) return 0x7F;
  const std::uint32_t sign = std::signbit(value) ? 0x80 : 0;
  const double size = std::fabs(value);
  if (size >= 448) return sign | 0x7E;
  int power = 0;
  std::frexp(size, &power);
  power = size == 0 || power - 1 < -6 ? -6 : power - 1;
  const auto digits = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 3 - power)));
  return sign | (digits < 8 ? digits : (static_cast<std::uint32_t>(power + 6) << 3) + digits);
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
