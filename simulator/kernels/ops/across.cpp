// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp tell each other: shfl, vote, match, redux, activemask.
#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

// r[0] the value, r[1] the predicate where it is used, r[2] the source, r[3] lane or distance, r[4] clamp and segment.
template <char Mode>
void shfl(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[2]);
  const auto b = lanes<u32>(warp, code.r[3]);
  const auto c = lanes<u32>(warp, code.r[4]);
  u32 values[kLanes];
  for (u32 i = 0; i < kLanes; ++i)
    values[i] = a.get(i);
  u32 valid = 0;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<u32>(__builtin_ctz(rest));
    const u32 by = b.get(i) & 31;
    const u32 segment = c.get(i) >> 8 & 31;
    const u32 most = (i & segment) | ((c.get(i) & 31) & ~segment);
    const u32 least = i & segment;
    u32 from = i;
    bool good = false;
    if constexpr (Mode == 'u') {
      good = i >= by && i - by >= most;
      from = i - by;
    } else if constexpr (Mode == 'd') {
      from = i + by;
      good = from <= most;
    } else if constexpr (Mode == 'b') {
      from = i ^ by;
      good = from <= most;
    } else {
      from = least | (by & ~segment);
      good = from <= most;
    }
    if (!good) from = i;
    valid |= static_cast<u32>(good) << i;
    to.put(i, values[from & 31]);
  }
  if (code.r[1].used != 0) {
    u32& p = bits(warp, code.r[1]);
    p = (p & ~mask) | (valid & mask);
  }
}

// r[1] the predicate; r[0] a predicate, or of ballot a number.
template <char Mode>
void vote(Warp& warp, const Instruction& code, u32 mask) {
  const u32 yes = truth(warp, code.r[1]) & mask;
  if constexpr (Mode == 'b') {
    const auto to = lanes<u32>(warp, code.r[0]);
    each_lane(mask, [=](u32 i) { to.put(i, yes); });
  } else {
    const bool result = Mode == 'a' ? yes == mask : Mode == 'o' ? yes != 0 : yes == mask || yes == 0;
    u32& p = bits(warp, code.r[0]);
    p = result ? p | mask : p & ~mask;
  }
}

// r[0] the mask, r[1] the predicate of match.all where it is used, r[2] the value.
template <class T, bool All>
void match(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[2]);
  u32 found[kLanes] = {};
  bool all = true;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<u32>(__builtin_ctz(rest));
    for (u32 other = mask; other != 0; other &= other - 1) {
      const auto j = static_cast<u32>(__builtin_ctz(other));
      if (a.get(i) == a.get(j)) found[i] |= 1U << j;
    }
    all = all && found[i] == mask;
  }
  each_lane(mask, [&](u32 i) { to.put(i, All ? (all ? mask : 0) : found[i]); });
  if (All && code.r[1].used != 0) {
    u32& p = bits(warp, code.r[1]);
    p = all ? p | mask : p & ~mask;
  }
}

template <class T, char Op>
void redux(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[2]);
  T value = a.get(static_cast<u32>(__builtin_ctz(mask)));
  for (u32 rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
    const T x = a.get(static_cast<u32>(__builtin_ctz(rest)));
    if constexpr (Op == '+') value = static_cast<T>(static_cast<u32>(value) + static_cast<u32>(x));
    if constexpr (Op == '<') value = x < value ? x : value;
    if constexpr (Op == '>') value = value < x ? x : value;
    if constexpr (Op == '&') value &= x;
    if constexpr (Op == '|') value |= x;
    if constexpr (Op == '^') value ^= x;
  }
  each_lane(mask, [=](u32 i) { to.put(i, static_cast<u32>(value)); });
}

void active(Warp& warp, const Instruction& code, u32 mask) {
  const auto to = lanes<u32>(warp, code.r[0]);
  each_lane(mask, [=](u32 i) { to.put(i, mask); });
}

void nothing(Warp&, const Instruction&, u32) {}

// elect.sync: the first lane of those that are here; r[0] its number, r[1] who it is.
void elect(Warp& warp, const Instruction& code, u32 mask) {
  const auto first = static_cast<u32>(__builtin_ctz(mask));
  if (code.r[0].used != 0) {
    const auto to = lanes<u32>(warp, code.r[0]);
    each_lane(mask, [=](u32 i) { to.put(i, first); });
  }
  u32& p = bits(warp, code.r[1]);
  p = (p & ~mask) | 1U << first;
}

struct AcrossRow {
  std::string_view word;
  u32 bytes;
  bool is_signed;
  Handler handler;
};

constexpr AcrossRow kRows[] = {
    {"shfl.up", 4, false, shfl<'u'>},
    {"shfl.down", 4, false, shfl<'d'>},
    {"shfl.bfly", 4, false, shfl<'b'>},
    {"shfl.idx", 4, false, shfl<'i'>},
    {"vote.ballot", 4, false, vote<'b'>},
    {"vote.all", 0, false, vote<'a'>},
    {"vote.any", 0, false, vote<'o'>},
    {"vote.uni", 0, false, vote<'u'>},
    {"match.any", 4, false, match<u32, false>},
    {"match.any", 8, false, match<std::uint64_t, false>},
    {"match.all", 4, false, match<u32, true>},
    {"match.all", 8, false, match<std::uint64_t, true>},
    {"redux.add", 4, false, redux<u32, '+'>},
    {"redux.min", 4, false, redux<u32, '<'>},
    {"redux.max", 4, false, redux<u32, '>'>},
    {"redux.min", 4, true, redux<std::int32_t, '<'>},
    {"redux.max", 4, true, redux<std::int32_t, '>'>},
    {"redux.and", 4, false, redux<u32, '&'>},
    {"redux.or", 4, false, redux<u32, '|'>},
    {"redux.xor", 4, false, redux<u32, '^'>},
    {"activemask", 4, false, active},
    {"bar.warp.sync", 0, false, nothing},
    {"elect", 0, false, elect},
};

}  // namespace

Handler across(std::string_view word, ptx::Type type) {
  const bool sign = ptx::is_signed(type) && (word == "redux.min" || word == "redux.max");
  for (const AcrossRow& row : kRows) {
    if (row.word == word && row.is_signed == sign && (row.bytes == 0 || row.bytes == ptx::size_of(type)))
      return row.handler;
  }
  return nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
