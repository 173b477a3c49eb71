// SPDX-License-Identifier: Apache-2.0
// Fields of bits, chosen bytes, and sums of products of bytes.
#include <bit>

#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

template <class T>
void bfe(Warp& warp, const Instruction& code, u32 mask) {
  using V = std::make_unsigned_t<T>;
  constexpr u32 kTop = sizeof(T) * 8 - 1;
  const auto to = lanes<V>(warp, code.r[0]);
  const auto a = lanes<V>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  const auto c = lanes<u32>(warp, code.r[3]);
  each_lane(mask, [=](u32 i) {
    const V x = a.get(i);
    const u32 from = b.get(i) & 0xFF;
    const u32 length = c.get(i) & 0xFF;
    const u32 last = from + length == 0 ? 0 : (from + length - 1 > kTop ? kTop : from + length - 1);
    const bool sign = std::is_signed_v<T> && length != 0 && (x >> last & 1) != 0;
    const V shifted = from > kTop ? V{0} : static_cast<V>(x >> from);
    const u32 kept = from > kTop ? 0 : (length > kTop - from ? kTop - from + 1 : length);
    const V low = kept > kTop ? static_cast<V>(~V{0}) : static_cast<V>((V{1} << kept) - 1);
    to.put(i, static_cast<V>((shifted & low) | (sign ? static_cast<V>(~low) : V{0})));
  });
}

template <class T>
void bfi(Warp& warp, const Instruction& code, u32 mask) {
  constexpr u32 kTop = sizeof(T) * 8 - 1;
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  const auto c = lanes<u32>(warp, code.r[3]);
  const auto d = lanes<u32>(warp, code.r[4]);
  each_lane(mask, [=](u32 i) {
    const u32 from = c.get(i) & 0xFF;
    const u32 length = d.get(i) & 0xFF;
    const T ones = length > kTop ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
    const T where = from > kTop ? T{0} : static_cast<T>(ones << from);
    const T put = from > kTop ? T{0} : static_cast<T>(a.get(i) << from);
    to.put(i, static_cast<T>((b.get(i) & ~where) | (put & where)));
  });
}

template <bool Clamp>
void bmsk(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  each_lane(mask, [=](u32 i) {
    const u32 from = Clamp ? a.get(i) : a.get(i) & 31;
    const u32 length = Clamp ? b.get(i) : b.get(i) & 31;
    const u32 ones = length > 31 ? ~0U : (1U << length) - 1;
    to.put(i, from > 31 ? 0 : ones << from);
  });
}

template <class T, bool Clamp>
void szext(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  each_lane(mask, [=](u32 i) {
    const u32 length = Clamp ? (b.get(i) > 32 ? 32 : b.get(i)) : b.get(i) & 31;
    if (length == 0) return to.put(i, 0);
    const T up = static_cast<T>(a.get(i) << (32 - length));
    to.put(i, static_cast<u32>(up >> (32 - length)));
  });
}

// fns: the n-th bit that is set, from a base, upwards or downwards.
void fns(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  const auto c = lanes<s32>(warp, code.r[3]);
  each_lane(mask, [=](u32 i) {
    const s32 step = c.get(i) < 0 ? -1 : 1;
    s32 left = c.get(i) == 0 ? 1 : c.get(i) * step;
    u32 found = 0xFFFFFFFF;
    for (s32 at = static_cast<s32>(b.get(i) & 31); at >= 0 && at < 32; at += step) {
      if ((a.get(i) >> at & 1) != 0 && --left == 0) {
        found = static_cast<u32>(at);
        break;
      }
      if (c.get(i) == 0) break;
    }
    to.put(i, found);
  });
}

// lop3: imm has the result for each combination of bits.
void lop3(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  const auto c = lanes<u32>(warp, code.r[3]);
  const u64 table = code.imm;
  each_lane(mask, [=](u32 i) {
    u32 result = 0;
    for (u32 row = 0; row < 8; ++row) {
      const u32 x = (row & 4) != 0 ? a.get(i) : ~a.get(i);
      const u32 y = (row & 2) != 0 ? b.get(i) : ~b.get(i);
      const u32 z = (row & 1) != 0 ? c.get(i) : ~c.get(i);
      result |= (table >> row & 1) != 0 ? x & y & z : 0;
    }
    to.put(i, result);
  });
}

// prmt: bytes of b:a, chosen by the nibbles of c; imm is the mode: 0, or 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
void prmt(Warp& warp, const Instruction& code, u32 mask) {
  static constexpr std::uint8_t kModes[6][4][4] = {{{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
                                                   {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
                                                   {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
                                                   {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
                                                   {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
                                                   {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}};
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  const auto c = lanes<u32>(warp, code.r[3]);
  const u64 mode = code.imm;
  each_lane(mask, [=](u32 i) {
    const u64 bytes = u64{b.get(i)} << 32 | a.get(i);
    const u32 chosen = c.get(i);
    u32 result = 0;
    for (u32 at = 0; at < 4; ++at) {
      const u32 nibble = mode == 0 ? chosen >> (4 * at) & 15 : kModes[mode - 1][chosen & 3][at];
      u32 byte = static_cast<u32>(bytes >> (8 * (nibble & 7))) & 0xFF;
      if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
      result |= byte << (8 * at);
    }
    to.put(i, result);
  });
}

// dp4a: bit 0 of imm: a is signed, bit 1: b is; dp2a with bit 2, and bit 3 for the upper half of b.
void dot(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  const auto c = lanes<u32>(warp, code.r[3]);
  const u64 how = code.imm;
  each_lane(mask, [=](u32 i) {
    u32 sum = c.get(i);
    const bool pairs = (how & 4) != 0;
    for (u32 at = 0; at < (pairs ? 2U : 4U); ++at) {
      const u32 x = a.get(i) >> (pairs ? 16 * at : 8 * at);
      const u32 y = b.get(i) >> (8 * (at + ((how & 8) != 0 ? 2 : 0)));
      const s32 left = pairs ? ((how & 1) != 0 ? static_cast<s16>(x) : static_cast<u16>(x))
                             : ((how & 1) != 0 ? static_cast<std::int8_t>(x) : static_cast<std::uint8_t>(x));
      const s32 right = (how & 2) != 0 ? static_cast<std::int8_t>(y) : static_cast<std::uint8_t>(y);
      sum += static_cast<u32>(left * right);
    }
    to.put(i, sum);
  });
}

struct FieldRow {
  std::string_view word;
  u32 bytes;  // of its type; 0: any
  bool is_signed;
  Handler handler;
};

constexpr FieldRow kRows[] = {
    {"bfe", 4, false, bfe<u32>},
    {"bfe", 8, false, bfe<u64>},
    {"bfe", 4, true, bfe<s32>},
    {"bfe", 8, true, bfe<s64>},
    {"bfi", 4, false, bfi<u32>},
    {"bfi", 8, false, bfi<u64>},
    {"bmsk.clamp", 4, false, bmsk<true>},
    {"bmsk.wrap", 4, false, bmsk<false>},
    {"szext.clamp", 4, false, szext<u32, true>},
    {"szext.wrap", 4, false, szext<u32, false>},
    {"szext.clamp", 4, true, szext<s32, true>},
    {"szext.wrap", 4, true, szext<s32, false>},
    {"fns", 4, false, fns},
    {"lop3", 4, false, lop3},
    {"prmt", 4, false, prmt},
    {"dot", 4, false, dot},
};

}  // namespace

Handler fields(std::string_view word, ptx::Type type) {
  const bool sign = ptx::is_signed(type) && (word == "bfe" || word.starts_with("szext"));
  for (const FieldRow& row : kRows) {
    if (row.word == word && row.bytes == ptx::size_of(type) && row.is_signed == sign) return row.handler;
  }
  return nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
