// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, counts of bits; copies of registers.
#include <bit>

#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

template <class T>
void mov(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  each_lane(mask, [=](u32 i) { to.put(i, a.get(i)); });
}

template <class T, char Op>
void logic(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, Op == '~' || Op == '!' ? code.r[1] : code.r[2]);
  each_lane(mask, [=](u32 i) {
    const T x = a.get(i);
    const T y = b.get(i);
    if constexpr (Op == '&') to.put(i, static_cast<T>(x & y));
    if constexpr (Op == '|') to.put(i, static_cast<T>(x | y));
    if constexpr (Op == '^') to.put(i, static_cast<T>(x ^ y));
    if constexpr (Op == '~') to.put(i, static_cast<T>(~x));
    if constexpr (Op == '!') to.put(i, static_cast<T>(x == 0));
  });
}

// Counts are unsigned, of 32 bits; one that is too large shifts everything out.
template <class T, bool Left>
void shift(Warp& warp, const Instruction& code, u32 mask) {
  constexpr u32 kMost = sizeof(T) * 8 - 1;
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  each_lane(mask, [=](u32 i) {
    const u32 by = b.get(i);
    const u32 safe = by > kMost ? kMost : by;
    const T x = a.get(i);
    if constexpr (Left) {
      to.put(i, by > kMost ? T{0} : static_cast<T>(x << safe));
    } else {
      const T gone = static_cast<T>(static_cast<T>(x >> kMost) >> (static_cast<T>(-1) < 0 ? 0 : 1));
      to.put(i, by > kMost ? gone : static_cast<T>(x >> safe));
    }
  });
}

// shf: a and b are the lower and the upper half.
template <bool Left, bool Wrap>
void funnel(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  const auto c = lanes<u32>(warp, code.r[3]);
  each_lane(mask, [=](u32 i) {
    const u32 by = Wrap ? c.get(i) & 31 : (c.get(i) > 32 ? 32 : c.get(i));
    const u64 both = u64{b.get(i)} << 32 | a.get(i);
    to.put(i, static_cast<u32>(Left ? (both << by) >> 32 : both >> by));
  });
}

template <class T, class Count>
void count_bits(Warp& warp, const Instruction& code, u32 mask, Count count) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  each_lane(mask, [=](u32 i) { to.put(i, static_cast<u32>(count(a.get(i)))); });
}
template <class T>
void popc(Warp& warp, const Instruction& code, u32 mask) {
  count_bits<T>(warp, code, mask, [](T x) { return std::popcount(x); });
}
template <class T>
void clz(Warp& warp, const Instruction& code, u32 mask) {
  count_bits<T>(warp, code, mask, [](T x) { return std::countl_zero(x); });
}
// The highest bit that is not like the sign; imm: how far it is from the top instead.
template <class T>
void bfind(Warp& warp, const Instruction& code, u32 mask) {
  using V = std::make_unsigned_t<T>;
  const bool amount = code.imm != 0;
  count_bits<T>(warp, code, mask, [amount](T x) {
    const auto v = static_cast<V>(x < 0 ? static_cast<V>(~x) : static_cast<V>(x));
    const u32 place = static_cast<u32>(sizeof(T) * 8 - 1) - static_cast<u32>(std::countl_zero(v));
    return v == 0 ? 0xFFFFFFFFU : amount ? static_cast<u32>(sizeof(T) * 8 - 1) - place : place;
  });
}

template <class T>
void brev(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  each_lane(mask, [=](u32 i) {
    T x = a.get(i);
    T y = 0;
    for (u32 bit = 0; bit < sizeof(T) * 8; ++bit, x = static_cast<T>(x >> 1))
      y = static_cast<T>(y << 1 | (x & 1));
    to.put(i, y);
  });
}

struct BitRow {
  std::string_view word;
  u32 bytes;  // of its type; 0: any
  bool is_signed;
  Handler handler;
};

constexpr BitRow kRows[] = {
    {"mov", 2, false, mov<u32>},
    {"mov", 4, false, mov<u32>},
    {"mov", 8, false, mov<u64>},
    {"and", 2, false, logic<u16, '&'>},
    {"and", 4, false, logic<u32, '&'>},
    {"and", 8, false, logic<u64, '&'>},
    {"or", 2, false, logic<u16, '|'>},
    {"or", 4, false, logic<u32, '|'>},
    {"or", 8, false, logic<u64, '|'>},
    {"xor", 2, false, logic<u16, '^'>},
    {"xor", 4, false, logic<u32, '^'>},
    {"xor", 8, false, logic<u64, '^'>},
    {"not", 2, false, logic<u16, '~'>},
    {"not", 4, false, logic<u32, '~'>},
    {"not", 8, false, logic<u64, '~'>},
    {"cnot", 2, false, logic<u16, '!'>},
    {"cnot", 4, false, logic<u32, '!'>},
    {"cnot", 8, false, logic<u64, '!'>},
    {"shl", 2, false, shift<u16, true>},
    {"shl", 4, false, shift<u32, true>},
    {"shl", 8, false, shift<u64, true>},
    {"shr", 2, false, shift<u16, false>},
    {"shr", 4, false, shift<u32, false>},
    {"shr", 8, false, shift<u64, false>},
    {"shr", 2, true, shift<s16, false>},
    {"shr", 4, true, shift<s32, false>},
    {"shr", 8, true, shift<s64, false>},
    {"shf.l.wrap", 4, false, funnel<true, true>},
    {"shf.l.clamp", 4, false, funnel<true, false>},
    {"shf.r.wrap", 4, false, funnel<false, true>},
    {"shf.r.clamp", 4, false, funnel<false, false>},
    {"popc", 4, false, popc<u32>},
    {"popc", 8, false, popc<u64>},
    {"clz", 4, false, clz<u32>},
    {"clz", 8, false, clz<u64>},
    {"bfind", 4, false, bfind<u32>},
    {"bfind", 8, false, bfind<u64>},
    {"bfind", 4, true, bfind<s32>},
    {"bfind", 8, true, bfind<s64>},
    {"brev", 4, false, brev<u32>},
    {"brev", 8, false, brev<u64>},
};

}  // namespace

Handler bitwise(std::string_view word, ptx::Type type) {
  const bool sign = ptx::is_signed(type) && (word == "shr" || word == "bfind");
  for (const BitRow& row : kRows) {
    if (row.word == word && row.bytes == ptx::size_of(type) && row.is_signed == sign) return row.handler;
  }
  return fields(word, type);
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
