// SPDX-License-Identifier: Apache-2.0
// Matrices between registers and rows of numbers. Tests: tests/unit/kernels/forms/matrices.cpp.
#pragma once

#include "kernels/code/matrix.hpp"
#include "kernels/ops/lanes.hpp"
#include "kernels/ops/numbers.hpp"
#include "kernels/ops/small_numbers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {

// Calls body(lane, register, shift, index) for each element in registers, `index` row by row in the matrix.
template <class Body>
inline void each_element(const Fragment& of, Body body) {
  const u32 bits = bits_of(of.element);
  const u32 packed = bits >= 32 ? 1 : 32 / bits;  // elements in a register
  const u32 own = of.rows * of.columns / kLanes;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const u32 group = lane / 4;
    const u32 within = lane % 4;
    for (u32 r = 0; r < of.count; ++r) {
      for (u32 j = 0; j < packed; ++j) {
        u32 index;
        if (!of.parted) {
          index = lane * own + (r * packed + j) % own;  // f16 has room for more than its elements: each again
        } else if (of.part == Fragment::Part::sum) {
          const u32 at = r * packed + j;
          index = (group + at / 2 * 8) * of.columns + within * 2 + at % 2;
        } else if (of.part == Fragment::Part::b) {
          index = (within * packed + r * packed * 4 + j) * of.columns + group;
        } else {
          const u32 lower = of.rows == 16 ? r % 2 : 0;
          const u32 step = of.rows == 16 ? r / 2 : r;
          index = (group + lower * 8) * of.columns + within * packed + step * packed * 4 + j;
        }
        body(lane, r, j * bits, index);
      }
    }
  }
}

inline u64 register_of(const Warp& warp, Ref ref, u32 lane) {
  return ref.wide != 0 ? lanes<u64>(warp, ref).get(lane) : lanes<u32>(warp, ref).get(lane);
}

inline double real_of(Element element, u64 bits) {
  switch (element) {
    case Element::f16:
      return quick_half(static_cast<u32>(bits & 0xFFFF));
    case Element::bf16:
      return static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits << 16)));
    case Element::tf32:
      return static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits & 0xFFFFE000)));
    case Element::f32:
      return static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits)));
    case Element::e4m3:
      return from_e4m3(static_cast<u32>(bits & 0xFF));
    case Element::e5m2:
      return from_e5m2(static_cast<u32>(bits & 0xFF));
    default:
      return std::bit_cast<double>(bits);
  }
}

inline u64 bits_of_real(Element element, double value) {
  if (element == Element::f64) return std::bit_cast<u64>(value);
  if (element == Element::f32) return std::bit_cast<u32>(canonical(static_cast<float>(value)));
  return narrowed(value, kHalf, Rounding::nearest);
}

inline s32 integer_of(Element element, u64 bits) {
  switch (element) {
    case Element::s8:
      return static_cast<std::int8_t>(bits);
    case Element::u8:
      return static_cast<std::uint8_t>(bits);
    case Element::s4:
      return static_cast<s32>((bits & 15) ^ 8) - 8;
    case Element::u4:
      return static_cast<s32>(bits & 15);
    case Element::b1:
      return static_cast<s32>(bits & 1);
    default:
      return static_cast<s32>(bits);
  }
}

inline void take(const Warp& warp, const Fragment& of, double* to) {
  each_element(of, [&](u32 lane, u32 r, u32 shift, u32 index) {
    to[index] = real_of(of.element, register_of(warp, of.r[r], lane) >> shift);
  });
}
inline void take(const Warp& warp, const Fragment& of, s32* to) {
  each_element(of, [&](u32 lane, u32 r, u32 shift, u32 index) {
    to[index] = integer_of(of.element, register_of(warp, of.r[r], lane) >> shift);
  });
}

inline void put(const Warp& warp, Ref ref, u32 lane, u32 shift, u64 bits) {
  if (ref.wide != 0) return lanes<u64>(warp, ref).put(lane, bits);
  const auto to = lanes<u32>(warp, ref);
  to.put(lane, shift == 0 ? static_cast<u32>(bits) : to.get(lane) | static_cast<u32>(bits << shift));
}
inline void give(const Warp& warp, const Fragment& of, const double* from) {
  each_element(of, [&](u32 lane, u32 r, u32 shift, u32 index) {
    put(warp, of.r[r], lane, shift, bits_of_real(of.element, from[index]));
  });
}
inline void give(const Warp& warp, const Fragment& of, const s32* from) {
  each_element(of, [&](u32 lane, u32 r, u32 shift, u32 index) {
    put(warp, of.r[r], lane, shift, static_cast<u32>(from[index]));
  });
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
