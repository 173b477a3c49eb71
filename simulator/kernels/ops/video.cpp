// SPDX-License-Identifier: Apache-2.0
// Video instructions: two or four numbers in a register, worked out in wider ones, then put back or added up.
#include <algorithm>

#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

// imm: bit 0 a is signed, 1 b is, 2 the result is, 3 parts are added to c, 4 parts are kept within their range.
template <u32 Parts, char Op>
void video(Warp& warp, const Instruction& code, u32 mask) {
  constexpr u32 kWidth = 32 / Parts;
  const auto to = lanes<u32>(warp, code.r[0]);
  const auto a = lanes<u32>(warp, code.r[1]);
  const auto b = lanes<u32>(warp, code.r[2]);
  const auto c = lanes<u32>(warp, code.r[3]);
  const u64 how = code.imm;
  each_lane(mask, [=](u32 i) {
    u32 packed = 0;
    u32 sum = c.get(i);
    for (u32 at = 0; at < Parts; ++at) {
      const auto part = [at](u32 word, bool sign) {
        const u32 up = word << (32 - kWidth * (at + 1));
        return sign ? static_cast<s32>(up) >> (32 - kWidth) : static_cast<s32>(up >> (32 - kWidth));
      };
      const s32 x = part(a.get(i), (how & 1) != 0);
      const s32 y = part(b.get(i), (how & 2) != 0);
      s32 value = 0;
      if constexpr (Op == '+') value = x + y;
      if constexpr (Op == '-') value = x - y;
      if constexpr (Op == '<') value = std::min(x, y);
      if constexpr (Op == '>') value = std::max(x, y);
      if constexpr (Op == '|') value = x < y ? y - x : x - y;
      if ((how & 16) != 0) {
        const s32 low = (how & 4) != 0 ? -(1 << (kWidth - 1)) : 0;
        const s32 high = (how & 4) != 0 ? (1 << (kWidth - 1)) - 1 : static_cast<s32>((1U << kWidth) - 1);
        value = std::clamp(value, low, high);
      }
      packed |= (static_cast<u32>(value) & ((1U << kWidth) - 1)) << (kWidth * at);
      sum += static_cast<u32>(value);
    }
    to.put(i, (how & 8) != 0 ? sum : packed);
  });
}

struct VideoRow {
  std::string_view word;
  Handler handler;
};
constexpr VideoRow kRows[] = {
    {"vadd2", video<2, '+'>},     {"vadd4", video<4, '+'>},     {"vsub2", video<2, '-'>}, {"vsub4", video<4, '-'>},
    {"vmin2", video<2, '<'>},     {"vmin4", video<4, '<'>},     {"vmax2", video<2, '>'>}, {"vmax4", video<4, '>'>},
    {"vabsdiff2", video<2, '|'>}, {"vabsdiff4", video<4, '|'>},
};

}  // namespace

Handler video(std::string_view word) {
  for (const VideoRow& row : kRows) {
    if (row.word == word) return row.handler;
  }
  return nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
