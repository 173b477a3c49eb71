// SPDX-License-Identifier: Apache-2.0
// f32 and f64. Results that PTX calls exact are those of IEEE 754 by the processor; of approximations, which PTX only
// bounds, the C library's are taken.
#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"
#include "kernels/ops/numbers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

struct AddReal {
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
};
struct SubReal {
  template <class T>
  static T of(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T of(T a, T b) {
    return a * b;
  }
};
struct DivReal {
  template <class T>
  static T of(T a, T b) {
    return a / b;
  }
};
struct Fma {
  static float of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double of(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
// The smaller one; a number wins over NaN, and -0 is smaller than 0.
struct Smaller {
  template <class T>
  static T of(T a, T b) {
    const T chosen = a < b || (a == b && std::signbit(a)) ? a : b;
    return a != a ? b : b != b ? a : chosen;
  }
};
struct Larger {
  template <class T>
  static T of(T a, T b) {
    const T chosen = a > b || (a == b && std::signbit(b)) ? a : b;
    return a != a ? b : b != b ? a : chosen;
  }
};
struct Sqrt {
  static float of(float a) { return __builtin_sqrtf(a); }
  static double of(double a) { return __builtin_sqrt(a); }
};
struct Rcp {
  template <class T>
  static T of(T a) {
    return T{1} / a;
  }
};
struct Rsqrt {
  template <class T>
  static T of(T a) {
    return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a)));
  }
};
struct Sin {
  static float of(float a) { return std::sin(a); }
};
struct Cos {
  static float of(float a) { return std::cos(a); }
};
struct Exp2 {
  static float of(float a) { return std::exp2(a); }
};
struct Log2 {
  static float of(float a) { return std::log2(a); }
};
struct Tanh {
  static float of(float a) { return std::tanh(a); }
};

template <class T>
T before(T x, bool flush) {
  if constexpr (sizeof(T) == 4) return flush ? flushed(x) : x;
  return x;
}
template <class T>
T after(T x, bool flush, bool saturate) {
  x = canonical(x);
  if constexpr (sizeof(T) == 4) x = flush ? flushed(x) : x;
  return saturate ? saturated(x) : x;
}

template <class T, class Op>
void one(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Numeric how = unpacked(code.imm);
  const Rounded mode(how.rounding);
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const bool flush = how.flush;
  const bool saturate = how.saturate;
  each_lane(mask, [=](std::uint32_t i) { to.put(i, after<T>(Op::of(before(a.get(i), flush)), flush, saturate)); });
}
template <class T, class Op>
void two(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Numeric how = unpacked(code.imm);
  const Rounded mode(how.rounding);
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  const bool flush = how.flush;
  const bool saturate = how.saturate;
  each_lane(mask, [=](std::uint32_t i) {
    to.put(i, after<T>(Op::template of<T>(before(a.get(i), flush), before(b.get(i), flush)), flush, saturate));
  });
}
template <class T>
void fma(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Numeric how = unpacked(code.imm);
  const Rounded mode(how.rounding);
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  const auto c = lanes<T>(warp, code.r[3]);
  const bool flush = how.flush;
  const bool saturate = how.saturate;
  each_lane(mask, [=](std::uint32_t i) {
    to.put(i, after<T>(Fma::of(before(a.get(i), flush), before(b.get(i), flush), before(c.get(i), flush)), flush,
                       saturate));
  });
}

// min and max; with .NaN a NaN wins, with .xorsign.abs (bit 5) sizes are compared and the signs joined.
template <class T, class Op>
void extreme(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Numeric how = unpacked(code.imm);
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  const bool joined = (code.imm & 32) != 0;
  each_lane(mask, [=](std::uint32_t i) {
    T x = before(a.get(i), how.flush);
    T y = before(b.get(i), how.flush);
    const bool negative = std::signbit(x) != std::signbit(y);
    if (joined) x = std::fabs(x), y = std::fabs(y);
    T result = how.nan && (x != x || y != y) ? x + y : Op::template of<T>(x, y);
    if (joined) result = negative ? -result : result;
    to.put(i, canonical(result));
  });
}

// Signs alone: what is no number stays as it is.
template <class T, char Op>
void sign(Warp& warp, const Instruction& code, std::uint32_t mask) {
  using Word = typename LaneWord<sizeof(T)>::Word;
  constexpr Word kSign = Word{1} << (sizeof(T) * 8 - 1);
  const bool flush = unpacked(code.imm).flush;
  const auto to = lanes<Word>(warp, code.r[0]);
  const auto a = lanes<Word>(warp, code.r[1]);
  const auto b = lanes<Word>(warp, Op == 'c' ? code.r[2] : code.r[1]);
  each_lane(mask, [=](std::uint32_t i) {
    Word x = b.get(i);
    if (sizeof(T) == 4 && flush) x = (x & 0x7F800000) == 0 ? x & kSign : x;
    if constexpr (Op == 'a') x &= ~kSign;
    if constexpr (Op == 'n') x ^= kSign;
    if constexpr (Op == 'c') x = (x & ~kSign) | (a.get(i) & kSign);
    to.put(i, x);
  });
}

// testp: r[0] is a predicate.
template <class T, char Op>
void test(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto a = lanes<T>(warp, code.r[1]);
  std::uint32_t result = 0;
  each_lane(mask, [&](std::uint32_t i) {
    const T x = a.get(i);
    bool is = false;
    if constexpr (Op == 'f') is = std::isfinite(x);
    if constexpr (Op == 'i') is = std::isinf(x);
    if constexpr (Op == '#') is = !std::isnan(x);
    if constexpr (Op == 'n') is = std::isnan(x);
    if constexpr (Op == 'N') is = std::isnormal(x) || x == 0;  // PTX calls zeros normal
    if constexpr (Op == 's') is = !std::isnormal(x) && std::isfinite(x) && x != 0;
    result |= static_cast<std::uint32_t>(is) << i;
  });
  std::uint32_t& to = bits(warp, code.r[0]);
  to = (to & ~mask) | result;
}

struct RealRow {
  std::string_view word;
  Handler single;
  Handler wide;
};

constexpr RealRow kRows[] = {
    {"add", two<float, AddReal>, two<double, AddReal>},
    {"sub", two<float, SubReal>, two<double, SubReal>},
    {"mul", two<float, Mul>, two<double, Mul>},
    {"div", two<float, DivReal>, two<double, DivReal>},
    {"fma", fma<float>, fma<double>},
    {"mad", fma<float>, fma<double>},
    {"min", extreme<float, Smaller>, extreme<double, Smaller>},
    {"max", extreme<float, Larger>, extreme<double, Larger>},
    {"abs", sign<float, 'a'>, sign<double, 'a'>},
    {"neg", sign<float, 'n'>, sign<double, 'n'>},
    {"copysign", sign<float, 'c'>, sign<double, 'c'>},
    {"sqrt", one<float, Sqrt>, one<double, Sqrt>},
    {"rcp", one<float, Rcp>, one<double, Rcp>},
    {"rsqrt", one<float, Rsqrt>, one<double, Rsqrt>},
    {"sin", one<float, Sin>, nullptr},
    {"cos", one<float, Cos>, nullptr},
    {"ex2", one<float, Exp2>, nullptr},
    {"lg2", one<float, Log2>, nullptr},
    {"tanh", one<float, Tanh>, nullptr},
    {"testp.finite", test<float, 'f'>, test<double, 'f'>},
    {"testp.infinite", test<float, 'i'>, test<double, 'i'>},
    {"testp.number", test<float, '#'>, test<double, '#'>},
    {"testp.notanumber", test<float, 'n'>, test<double, 'n'>},
    {"testp.normal", test<float, 'N'>, test<double, 'N'>},
    {"testp.subnormal", test<float, 's'>, test<double, 's'>},
};

}  // namespace

Handler floating(std::string_view word, ptx::Type type, const Numeric&) {
  if (type != ptx::Type::f32 && type != ptx::Type::f64) return nullptr;
  for (const RealRow& row : kRows) {
    if (row.word == word) return type == ptx::Type::f32 ? row.single : row.wide;
  }
  return nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
