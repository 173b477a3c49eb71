// SPDX-License-Identifier: Apache-2.0
// cvt. Between integers by the processor; where a floating point number is involved by way of a double, in which every
// other number is exact or rounded to odd, and then rounded once.
#include <limits>
#include <type_traits>

#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"
#include "kernels/ops/numbers.hpp"
#include "kernels/ops/small_numbers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

using ptx::Type;

template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T>;

template <class T>
inline constexpr Format kFormat = std::is_same_v<T, Half>    ? kHalf
                                  : std::is_same_v<T, Brain> ? kBrain
                                                             : kTensor;

template <class To, class From>
void cast(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto to = lanes<To>(warp, code.r[0]);
  const auto a = lanes<From>(warp, code.r[1]);
  each_lane(mask, [=](std::uint32_t i) { to.put(i, static_cast<To>(a.get(i))); });
}

// .sat between integers
template <class To, class From>
void clamp(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto to = lanes<To>(warp, code.r[0]);
  const auto a = lanes<From>(warp, code.r[1]);
  each_lane(mask, [=](std::uint32_t i) {
    __extension__ using Int128 = __int128;
    const Int128 x = a.get(i);
    const Int128 low = std::numeric_limits<To>::min();
    const Int128 high = std::numeric_limits<To>::max();
    to.put(i, static_cast<To>(x < low ? low : x > high ? high : x));
  });
}

template <class From>
double read(const Lanes<std::conditional_t<std::is_arithmetic_v<From>, From, std::uint32_t>>& from, std::uint32_t i,
            bool flush) {
  if constexpr (std::is_same_v<From, float>) {
    return static_cast<double>(flush ? flushed(from.get(i)) : from.get(i));
  } else if constexpr (std::is_same_v<From, double>) {
    return from.get(i);
  } else if constexpr (kIsInteger<From>) {
    const From x = from.get(i);
    const auto size = static_cast<std::uint64_t>(x);
    return x < 0 ? -odd_double(0 - size) : odd_double(size);
  } else {
    return widened(from.get(i) & (std::is_same_v<From, Tensor> ? ~0U : 0xFFFFU), kFormat<From>);
  }
}

template <class To>
To to_integer(double value, bool narrow_nan) {
  if (std::isnan(value)) return narrow_nan ? To{0} : static_cast<To>(std::uint64_t{1} << (sizeof(To) * 8 - 1));
  constexpr double kLow = static_cast<double>(std::numeric_limits<To>::min());
  const double beyond = std::ldexp(1.0, static_cast<int>(sizeof(To) * 8) - (std::is_signed_v<To> ? 1 : 0));
  if (value <= kLow) return std::numeric_limits<To>::min();
  return value >= beyond ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

template <class To, class From>
void number(Warp& warp, const Instruction& code, std::uint32_t mask) {
  using Source = std::conditional_t<std::is_arithmetic_v<From>, From, std::uint32_t>;
  using Target = std::conditional_t<std::is_arithmetic_v<To>, To, std::uint32_t>;
  const Numeric how = unpacked(code.imm);
  const auto to = lanes<Target>(warp, code.r[0]);
  const auto from = lanes<Source>(warp, code.r[1]);
  const bool narrow_nan = !(std::is_same_v<From, double> || sizeof(To) == 8);
  const Rounded mode(kIsInteger<To> || how.integral ? Rounding::nearest : how.rounding);
  if constexpr (kIsInteger<From> && std::is_same_v<To, double>) {  // which an odd double would be rounded from
    each_lane(mask, [=](std::uint32_t i) { to.put(i, static_cast<double>(from.get(i))); });
    return;
  }
  each_lane(mask, [=](std::uint32_t i) {
    double value = read<From>(from, i, how.flush);
    if constexpr (kIsInteger<To>) {
      to.put(i, to_integer<To>(to_integral(value, how.rounding), narrow_nan));
    } else {
      if (how.integral) value = to_integral(value, how.rounding);
      if (how.saturate) value = saturated(value);
      if (how.relu) value = value > 0 || std::isnan(value) ? value : 0;
      if constexpr (std::is_same_v<To, double>) {
        to.put(i, value);
      } else if constexpr (std::is_same_v<To, float>) {
        const float narrow = canonical(static_cast<float>(value));
        to.put(i, how.flush ? flushed(narrow) : narrow);
      } else if constexpr (std::is_same_v<To, Tensor>) {
        const std::uint32_t bits = narrowed(value, kTensor, how.rounding);
        to.put(i, (how.finite ? finite(bits, kTensor) : bits) << 13);
      } else {
        const std::uint32_t bits = narrowed(value, kFormat<To>, how.rounding);
        to.put(i, how.finite ? finite(bits, kFormat<To>) : bits);
      }
    }
  });
}

// Two numbers of f32 to a pair: r[1] is the upper half.
template <class To>
void pair(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Numeric how = unpacked(code.imm);
  const auto to = lanes<std::uint32_t>(warp, code.r[0]);
  const auto high = lanes<float>(warp, code.r[1]);
  const auto low = lanes<float>(warp, code.r[2]);
  const auto half = [&how](float x) {
    auto value = static_cast<double>(x);
    if (how.saturate) value = saturated(value);
    if (how.relu) value = value > 0 || std::isnan(value) ? value : 0;
    const std::uint32_t bits = narrowed(value, kFormat<To>, how.rounding);
    return how.finite ? finite(bits, kFormat<To>) : bits;
  };
  each_lane(mask, [=](std::uint32_t i) { to.put(i, half(high.get(i)) << 16 | half(low.get(i))); });
}

// To a pair of numbers of 8 bits: of two of f32 (r[1] the upper one), or of the two in f16x2.
template <bool E4m3, bool Halves>
void to_bytes(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Numeric how = unpacked(code.imm);
  const auto to = lanes<std::uint32_t>(warp, code.r[0]);
  const auto a = lanes<std::uint32_t>(warp, code.r[1]);
  const auto b = lanes<std::uint32_t>(warp, Halves ? code.r[1] : code.r[2]);
  const auto byte = [&how](double value) {
    if (how.relu) value = value > 0 || std::isnan(value) ? value : 0;
    return E4m3 ? to_e4m3(value) : to_e5m2(value);
  };
  const auto number = [](std::uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits)); };
  each_lane(mask, [=](std::uint32_t i) {
    const double high = Halves ? quick_half(a.get(i) >> 16) : number(a.get(i));
    const double low = Halves ? quick_half(b.get(i) & 0xFFFF) : number(b.get(i));
    to.put(i, byte(high) << 8 | byte(low));
  });
}

template <bool E4m3>
void from_bytes(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Numeric how = unpacked(code.imm);
  const auto to = lanes<std::uint32_t>(warp, code.r[0]);
  const auto a = lanes<std::uint32_t>(warp, code.r[1]);
  const auto half = [&how](std::uint32_t bits) {
    double value = E4m3 ? from_e4m3(bits) : from_e5m2(bits);
    if (how.relu) value = value > 0 || std::isnan(value) ? value : 0;
    return narrowed(value, kHalf, Rounding::nearest);
  };
  each_lane(mask, [=](std::uint32_t i) { to.put(i, half(a.get(i) >> 8 & 0xFF) << 16 | half(a.get(i) & 0xFF)); });
}

template <class To>
Handler from_integer(Type from, bool saturate) {
#define NVMLAB_FROM(name, type) \
  case Type::name:              \
    return saturate ? clamp<To, type> : cast<To, type>;
  switch (from) {
    NVMLAB_FROM(u8, std::uint8_t)
    NVMLAB_FROM(u16, std::uint16_t)
    NVMLAB_FROM(u32, std::uint32_t)
    NVMLAB_FROM(u64, std::uint64_t)
    NVMLAB_FROM(s8, std::int8_t)
    NVMLAB_FROM(s16, std::int16_t)
    NVMLAB_FROM(s32, std::int32_t)
    NVMLAB_FROM(s64, std::int64_t)
    default:
      return nullptr;
  }
#undef NVMLAB_FROM
}

template <class To>
Handler from_float(Type from) {
  switch (from) {
    case Type::f16:
      return number<To, Half>;
    case Type::bf16:
      return number<To, Brain>;
    case Type::f32:
      return number<To, float>;
    case Type::f64:
      return number<To, double>;
    default:
      return nullptr;
  }
}

template <class To>
Handler to_float(Type from) {
  switch (from) {
    case Type::u8:
      return number<To, std::uint8_t>;
    case Type::u16:
      return number<To, std::uint16_t>;
    case Type::u32:
      return number<To, std::uint32_t>;
    case Type::u64:
      return number<To, std::uint64_t>;
    case Type::s8:
      return number<To, std::int8_t>;
    case Type::s16:
      return number<To, std::int16_t>;
    case Type::s32:
      return number<To, std::int32_t>;
    case Type::s64:
      return number<To, std::int64_t>;
    default:
      return from_float<To>(from);
  }
}

template <class To>
Handler to_integer_type(Type from, bool saturate) {
  return ptx::is_float(from) ? from_float<To>(from) : from_integer<To>(from, saturate);
}

}  // namespace

Handler convert(Type to, Type from, const Numeric& how) {
  switch (to) {
    case Type::u8:
      return to_integer_type<std::uint8_t>(from, how.saturate);
    case Type::u16:
      return to_integer_type<std::uint16_t>(from, how.saturate);
    case Type::u32:
      return to_integer_type<std::uint32_t>(from, how.saturate);
    case Type::u64:
      return to_integer_type<std::uint64_t>(from, how.saturate);
    case Type::s8:
      return to_integer_type<std::int8_t>(from, how.saturate);
    case Type::s16:
      return to_integer_type<std::int16_t>(from, how.saturate);
    case Type::s32:
      return to_integer_type<std::int32_t>(from, how.saturate);
    case Type::s64:
      return to_integer_type<std::int64_t>(from, how.saturate);
    case Type::f16:
      return to_float<Half>(from);
    case Type::bf16:
      return to_float<Brain>(from);
    case Type::f32:
      return to_float<float>(from);
    case Type::f64:
      return to_float<double>(from);
    case Type::tf32:
      return from == Type::f32 ? number<Tensor, float> : nullptr;
    case Type::f16x2:
      if (from == Type::e4m3x2) return from_bytes<true>;
      if (from == Type::e5m2x2) return from_bytes<false>;
      return from == Type::f32 ? pair<Half> : nullptr;
    case Type::e4m3x2:
      return from == Type::f32 ? to_bytes<true, false> : from == Type::f16x2 ? to_bytes<true, true> : nullptr;
    case Type::e5m2x2:
      return from == Type::f32 ? to_bytes<false, false> : from == Type::f16x2 ? to_bytes<false, true> : nullptr;
    case Type::bf16x2:
      return from == Type::f32 ? pair<Brain> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
