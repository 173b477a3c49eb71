// SPDX-License-Identifier: Apache-2.0
// Integers of many words: sums, differences and products that take and keep a carry.
#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"
#include "kernels/ops/products.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

// add.cc and its kin: a sum with the carry of the one before, which keeps its own.
template <class T, bool Minus, bool In, bool Out>
void carried(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const T carry = In ? static_cast<T>(warp.carry >> i & 1) : T{0};
    T sum;
    T result;
    bool over;
    if constexpr (Minus) {
      over = __builtin_sub_overflow(a.get(i), b.get(i), &sum);
      over |= __builtin_sub_overflow(sum, carry, &result);
    } else {
      over = __builtin_add_overflow(a.get(i), b.get(i), &sum);
      over |= __builtin_add_overflow(sum, carry, &result);
    }
    to.put(i, result);
    if (Out) warp.carry = (warp.carry & ~(1U << i)) | static_cast<std::uint32_t>(over) << i;
  }
}
template <class T, class Product, bool In, bool Out>
void mad_carried(Warp& warp, const Instruction& code, std::uint32_t mask) {
  using V = U<T>;
  const auto to = lanes<V>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  const auto c = lanes<V>(warp, code.r[3]);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::uint32_t>(__builtin_ctz(rest));
    V sum;
    V result;
    bool over = __builtin_add_overflow(static_cast<V>(Product::template of<T>(a.get(i), b.get(i))), c.get(i), &sum);
    over |= __builtin_add_overflow(sum, In ? static_cast<V>(warp.carry >> i & 1) : V{0}, &result);
    to.put(i, result);
    if (Out) warp.carry = (warp.carry & ~(1U << i)) | static_cast<std::uint32_t>(over) << i;
  }
}

struct CarryRow {
  std::string_view word;
  Handler of[6];  // u16 u32 u64 s16 s32 s64
};

#define NVMLAB_32_64(how, ...)                                                          \
  {                                                                                     \
    nullptr, how<std::uint32_t, __VA_ARGS__>, how<std::uint64_t, __VA_ARGS__>, nullptr, \
        how<std::uint32_t, __VA_ARGS__>, how<std::uint64_t, __VA_ARGS__>                \
  }
#define NVMLAB_MAD_32_64(...)                                                                           \
  {                                                                                                     \
    nullptr, mad_carried<std::uint32_t, __VA_ARGS__>, mad_carried<std::uint64_t, __VA_ARGS__>, nullptr, \
        mad_carried<std::int32_t, __VA_ARGS__>, mad_carried<std::int64_t, __VA_ARGS__>                  \
  }

constexpr CarryRow kRows[] = {
    {"add.cc", NVMLAB_32_64(carried, false, false, true)}, {"addc", NVMLAB_32_64(carried, false, true, false)},
    {"addc.cc", NVMLAB_32_64(carried, false, true, true)}, {"sub.cc", NVMLAB_32_64(carried, true, false, true)},
    {"subc", NVMLAB_32_64(carried, true, true, false)},    {"subc.cc", NVMLAB_32_64(carried, true, true, true)},
    {"mad.lo.cc", NVMLAB_MAD_32_64(MulLow, false, true)},  {"mad.hi.cc", NVMLAB_MAD_32_64(MulHigh, false, true)},
    {"madc.lo", NVMLAB_MAD_32_64(MulLow, true, false)},    {"madc.hi", NVMLAB_MAD_32_64(MulHigh, true, false)},
    {"madc.lo.cc", NVMLAB_MAD_32_64(MulLow, true, true)},  {"madc.hi.cc", NVMLAB_MAD_32_64(MulHigh, true, true)},
};

}  // namespace

Handler carrying(std::string_view word, ptx::Type type) {
  const std::uint32_t size = ptx::size_of(type);
  if (ptx::is_float(type) || (size != 4 && size != 8)) return nullptr;
  const std::uint32_t column = (size == 8 ? 2U : 1U) + (ptx::is_signed(type) ? 3U : 0U);
  for (const CarryRow& row : kRows) {
    if (row.word == word) return row.of[column];
  }
  return nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
