// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers: what the hardware's results are is told by PTX, overflow wraps, a division by zero gives
// ones.
#include <limits>
#include <type_traits>

#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"
#include "kernels/ops/products.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

struct Div {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub::of<T>(0, a);
    return wrapped<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return wrapped<T>(a % b);
  }
};
struct Min {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct AddSat {
  template <class T>
  static T of(T a, T b) {
    T sum;
    if (__builtin_add_overflow(a, b, &sum)) sum = a < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    return sum;
  }
};
struct SubSat {
  template <class T>
  static T of(T a, T b) {
    T rest;
    if (__builtin_sub_overflow(a, b, &rest))
      rest = a < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    return rest;
  }
};
struct Mul24Low {
  template <class T>
  static T of(T a, T b) {
    const auto low = [](T x) { return wrapped<T>(wrapped<T>(static_cast<U<T>>(x) << 8) >> 8); };
    return MulLow::of<T>(low(a), low(b));
  }
};
struct Mul24High {  // bits 47 to 16 of the product
  template <class T>
  static T of(T a, T b) {
    const auto low = [](T x) { return wrapped<T>(wrapped<T>(static_cast<U<T>>(x) << 8) >> 8); };
    return wrapped<T>((static_cast<Wide<T>>(low(a)) * static_cast<Wide<T>>(low(b))) >> 16);
  }
};
struct Abs {
  template <class T>
  static T of(T a) {
    return a < 0 ? Sub::of<T>(0, a) : a;
  }
};
struct Neg {
  template <class T>
  static T of(T a) {
    return Sub::of<T>(0, a);
  }
};
template <class Op>
struct Then {  // mad: an operation, and a sum
  template <class T>
  static T of(T a, T b, T c) {
    return Add::of<T>(Op::template of<T>(a, b), c);
  }
};
struct MadHighSat {
  template <class T>
  static T of(T a, T b, T c) {
    return AddSat::of<T>(MulHigh::of<T>(a, b), c);
  }
};
struct Sad {
  template <class T>
  static T of(T a, T b, T c) {
    return Add::of<T>(c, a < b ? Sub::of<T>(b, a) : Sub::of<T>(a, b));
  }
};

template <class T, class Op>
void one(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  each_lane(mask, [=](std::uint32_t i) { to.put(i, Op::template of<T>(a.get(i))); });
}
template <class T, class Op>
void two(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  each_lane(mask, [=](std::uint32_t i) { to.put(i, Op::template of<T>(a.get(i), b.get(i))); });
}
template <class T, class Op>
void three(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  const auto c = lanes<T>(warp, code.r[3]);
  each_lane(mask, [=](std::uint32_t i) { to.put(i, Op::template of<T>(a.get(i), b.get(i), c.get(i))); });
}
template <class T>
void mul_wide(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto to = lanes<Wide<T>>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  each_lane(mask, [=](std::uint32_t i) {
    to.put(i, static_cast<Wide<T>>(static_cast<Wide<T>>(a.get(i)) * static_cast<Wide<T>>(b.get(i))));
  });
}
template <class T>
void mad_wide(Warp& warp, const Instruction& code, std::uint32_t mask) {
  using W = Wide<T>;
  const auto to = lanes<W>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  const auto c = lanes<W>(warp, code.r[3]);
  each_lane(mask, [=](std::uint32_t i) {
    to.put(i, Add::of<W>(static_cast<W>(static_cast<W>(a.get(i)) * static_cast<W>(b.get(i))), c.get(i)));
  });
}

struct IntegerRow {
  std::string_view word;
  Handler of[6];  // u16 u32 u64 s16 s32 s64
};

#define NVMLAB_SIX(how, ...)                                                                           \
  {                                                                                                    \
    how<std::uint16_t, __VA_ARGS__>, how<std::uint32_t, __VA_ARGS__>, how<std::uint64_t, __VA_ARGS__>, \
        how<std::int16_t, __VA_ARGS__>, how<std::int32_t, __VA_ARGS__>, how<std::int64_t, __VA_ARGS__> \
  }
#define NVMLAB_WIDENED(how) \
  { how<std::uint16_t>, how<std::uint32_t>, nullptr, how<std::int16_t>, how<std::int32_t>, nullptr }
#define NVMLAB_ONLY_32(how, op) \
  { nullptr, how<std::uint32_t, op>, nullptr, nullptr, how<std::int32_t, op>, nullptr }

constexpr IntegerRow kRows[] = {
    {"add", NVMLAB_SIX(two, Add)},
    {"sub", NVMLAB_SIX(two, Sub)},
    {"mul.lo", NVMLAB_SIX(two, MulLow)},
    {"mul.hi", NVMLAB_SIX(two, MulHigh)},
    {"mul.wide", NVMLAB_WIDENED(mul_wide)},
    {"mad.lo", NVMLAB_SIX(three, Then<MulLow>)},
    {"mad.hi", NVMLAB_SIX(three, Then<MulHigh>)},
    {"mad.wide", NVMLAB_WIDENED(mad_wide)},
    {"mad.hi.sat", {nullptr, nullptr, nullptr, nullptr, three<std::int32_t, MadHighSat>, nullptr}},
    {"div", NVMLAB_SIX(two, Div)},
    {"rem", NVMLAB_SIX(two, Rem)},
    {"min", NVMLAB_SIX(two, Min)},
    {"max", NVMLAB_SIX(two, Max)},
    {"add.sat", {nullptr, nullptr, nullptr, nullptr, two<std::int32_t, AddSat>, nullptr}},
    {"sub.sat", {nullptr, nullptr, nullptr, nullptr, two<std::int32_t, SubSat>, nullptr}},
    {"mul24.lo", NVMLAB_ONLY_32(two, Mul24Low)},
    {"mul24.hi", NVMLAB_ONLY_32(two, Mul24High)},
    {"mad24.lo", NVMLAB_ONLY_32(three, Then<Mul24Low>)},
    {"mad24.hi", NVMLAB_ONLY_32(three, Then<Mul24High>)},
    {"sad", NVMLAB_SIX(three, Sad)},
    {"abs", {nullptr, nullptr, nullptr, one<std::int16_t, Abs>, one<std::int32_t, Abs>, one<std::int64_t, Abs>}},
    {"neg", {nullptr, nullptr, nullptr, one<std::int16_t, Neg>, one<std::int32_t, Neg>, one<std::int64_t, Neg>}},
};

}  // namespace

Handler integer(std::string_view word, ptx::Type type) {
  if (const Handler found = bitwise(word, type)) return found;
  if (const Handler found = carrying(word, type)) return found;
  if (const Handler found = video(word)) return found;
  std::uint32_t column;
  switch (type) {
    case ptx::Type::u16:
    case ptx::Type::u32:
    case ptx::Type::u64:
      column = static_cast<std::uint32_t>(type) - static_cast<std::uint32_t>(ptx::Type::u16);
      break;
    case ptx::Type::s16:
    case ptx::Type::s32:
    case ptx::Type::s64:
      column = static_cast<std::uint32_t>(type) - static_cast<std::uint32_t>(ptx::Type::s16) + 3;
      break;
    default:
      return nullptr;
  }
  for (const IntegerRow& row : kRows) {
    if (row.word == word) return row.of[column];
  }
  return nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
