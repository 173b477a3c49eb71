// SPDX-License-Identifier: Apache-2.0
// f16 and bf16, alone and in pairs.
#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"
#include "kernels/ops/numbers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

enum class HalfOp : std::uint8_t { add, sub, mul, fma, min, max, abs, neg, exp2, tanh };

bool is_subnormal(std::uint32_t bits, Format of) { return (bits >> of.mantissa & ((1U << of.exponent) - 1)) == 0; }

double extreme(double a, double b, bool less, bool nan) {
  if (std::isnan(a) || std::isnan(b)) return nan || (std::isnan(a) && std::isnan(b)) ? a + b : std::isnan(a) ? b : a;
  if (a == b) return std::signbit(a) == less ? a : b;
  return (a < b) == less ? a : b;
}

std::uint32_t result(HalfOp op, Format of, std::uint32_t a, std::uint32_t b, std::uint32_t c, const Numeric& how,
                     bool joined) {
  const std::uint32_t sign = 1U << (of.mantissa + of.exponent);
  if (op == HalfOp::abs) return a & ~sign & 0xFFFF;
  if (op == HalfOp::neg) return (a ^ sign) & 0xFFFF;
  const auto number = [&](std::uint32_t bits) {
    return widened(how.flush && is_subnormal(bits, of) ? bits & sign : bits, of);
  };
  const double x = number(a);
  const double y = number(b);
  double value = 0;
  switch (op) {
    case HalfOp::add:
      value = odd_sum(x, 1, y);
      break;
    case HalfOp::sub:
      value = odd_sum(x, 1, -y);
      break;
    case HalfOp::mul:
      value = x * y;
      break;
    case HalfOp::fma:
      value = odd_sum(x, y, number(c));
      break;
    case HalfOp::min:
    case HalfOp::max:
      value = joined ? extreme(std::fabs(x), std::fabs(y), op == HalfOp::min, how.nan)
                     : extreme(x, y, op == HalfOp::min, how.nan);
      if (joined && ((a ^ b) & sign) != 0) value = -value;
      break;
    case HalfOp::exp2:
      value = std::exp2(x);
      break;
    default:
      value = std::tanh(x);
  }
  if (how.saturate) value = saturated(value);
  if (how.relu) value = value > 0 || std::isnan(value) ? value : 0;
  const std::uint32_t bits = narrowed(value, of, how.rounding);
  return how.flush && is_subnormal(bits, of) ? bits & sign : bits;
}

template <HalfOp Kind, bool Brain, bool Pair>
void each(Warp& warp, const Instruction& code, std::uint32_t mask) {
  constexpr Format kOf = Brain ? kBrain : kHalf;
  const Numeric how = unpacked(code.imm);
  const bool joined = (code.imm & 32) != 0;  // .xorsign.abs
  const auto to = lanes<std::uint32_t>(warp, code.r[0]);
  const auto a = lanes<std::uint32_t>(warp, code.r[1]);
  const auto b = lanes<std::uint32_t>(warp, code.r[2].used != 0 ? code.r[2] : code.r[1]);
  const auto c = lanes<std::uint32_t>(warp, code.r[3].used != 0 ? code.r[3] : code.r[1]);
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::uint32_t>(__builtin_ctz(mask));
    std::uint32_t value = result(Kind, kOf, a.get(i) & 0xFFFF, b.get(i) & 0xFFFF, c.get(i) & 0xFFFF, how, joined);
    if (Pair) value |= result(Kind, kOf, a.get(i) >> 16, b.get(i) >> 16, c.get(i) >> 16, how, joined) << 16;
    to.put(i, value);
  }
}

struct HalfRow {
  std::string_view word;
  Handler of[4];  // f16 f16x2 bf16 bf16x2
};
#define NVMLAB_HALVES(op) \
  { each<op, false, false>, each<op, false, true>, each<op, true, false>, each<op, true, true> }

constexpr HalfRow kRows[] = {
    {"add", NVMLAB_HALVES(HalfOp::add)},   {"sub", NVMLAB_HALVES(HalfOp::sub)}, {"mul", NVMLAB_HALVES(HalfOp::mul)},
    {"fma", NVMLAB_HALVES(HalfOp::fma)},   {"min", NVMLAB_HALVES(HalfOp::min)}, {"max", NVMLAB_HALVES(HalfOp::max)},
    {"abs", NVMLAB_HALVES(HalfOp::abs)},   {"neg", NVMLAB_HALVES(HalfOp::neg)}, {"ex2", NVMLAB_HALVES(HalfOp::exp2)},
    {"tanh", NVMLAB_HALVES(HalfOp::tanh)},
};

}  // namespace

Handler half(std::string_view word, ptx::Type type, const Numeric&) {
  if (type < ptx::Type::f16 || type > ptx::Type::bf16x2) return nullptr;
  for (const HalfRow& row : kRows) {
    if (row.word == word) return row.of[static_cast<int>(type) - static_cast<int>(ptx::Type::f16)];
  }
  return nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
