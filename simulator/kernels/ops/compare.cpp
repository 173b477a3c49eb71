// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic of predicates, and the choice between two registers.
#include "kernels/ops/families.hpp"
#include "kernels/ops/lanes.hpp"
#include "kernels/ops/numbers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

using ptx::Type;

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, Brain>;

template <Comparison How, class T>
bool holds(T a, T b) {
  if constexpr (How == Comparison::eq) return a == b;
  if constexpr (How == Comparison::ne) return a < b || a > b;
  if constexpr (How == Comparison::lt) return a < b;
  if constexpr (How == Comparison::le) return a <= b;
  if constexpr (How == Comparison::gt) return a > b;
  if constexpr (How == Comparison::ge) return a >= b;
  if constexpr (How == Comparison::equ) return !(a < b || a > b);
  if constexpr (How == Comparison::neu) return !(a == b);
  if constexpr (How == Comparison::ltu) return !(a >= b);
  if constexpr (How == Comparison::leu) return !(a > b);
  if constexpr (How == Comparison::gtu) return !(a <= b);
  if constexpr (How == Comparison::geu) return !(a < b);
  if constexpr (How == Comparison::num) return a == a && b == b;
  if constexpr (How == Comparison::nan) return a != a || b != b;
}

// imm: the join in its lower byte, and flush.
template <class T, Comparison How>
void setp(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const bool flush = (code.imm & 256) != 0;
  std::uint32_t found = 0;
  if constexpr (kIsHalf<T>) {
    constexpr Format kOf = std::is_same_v<T, Half> ? kHalf : kBrain;
    const auto a = lanes<std::uint16_t>(warp, code.r[2]);
    const auto b = lanes<std::uint16_t>(warp, code.r[3]);
    each_lane(mask, [&](std::uint32_t i) {
      const auto number = [=](std::uint32_t x) {
        const bool tiny = flush && (x >> kOf.mantissa & ((1U << kOf.exponent) - 1)) == 0;
        return tiny ? 0.0 : widened(x, kOf);
      };
      found |= static_cast<std::uint32_t>(holds<How>(number(a.get(i)), number(b.get(i)))) << i;
    });
  } else {
    const auto a = lanes<T>(warp, code.r[2]);
    const auto b = lanes<T>(warp, code.r[3]);
    each_lane(mask, [&](std::uint32_t i) {
      T x = a.get(i);
      T y = b.get(i);
      if constexpr (std::is_same_v<T, float>) {
        if (flush) x = flushed(x), y = flushed(y);
      }
      found |= static_cast<std::uint32_t>(holds<How>(x, y)) << i;
    });
  }
  const auto join = static_cast<Join>(code.imm & 255);
  const std::uint32_t other = join == Join::none ? 0 : truth(warp, code.r[4]);
  const auto joined = [join, other](std::uint32_t x) {
    return join == Join::conjunction   ? x & other
           : join == Join::disjunction ? x | other
           : join == Join::exclusive   ? x ^ other
                                       : x;
  };
  if (code.r[0].used != 0) {
    std::uint32_t& p = bits(warp, code.r[0]);
    p = (p & ~mask) | (joined(found) & mask);
  }
  if (code.r[1].used != 0) {
    std::uint32_t& q = bits(warp, code.r[1]);
    q = (q & ~mask) | (joined(~found) & mask);
  }
}

template <class T>
Handler of_order(Comparison how) {
  switch (how) {
    case Comparison::eq:
      return setp<T, Comparison::eq>;
    case Comparison::ne:
      return setp<T, Comparison::ne>;
    case Comparison::lt:
      return setp<T, Comparison::lt>;
    case Comparison::le:
      return setp<T, Comparison::le>;
    case Comparison::gt:
      return setp<T, Comparison::gt>;
    case Comparison::ge:
      return setp<T, Comparison::ge>;
    default:
      return nullptr;
  }
}

template <class T>
Handler of_float(Comparison how) {
  switch (how) {
    case Comparison::equ:
      return setp<T, Comparison::equ>;
    case Comparison::neu:
      return setp<T, Comparison::neu>;
    case Comparison::ltu:
      return setp<T, Comparison::ltu>;
    case Comparison::leu:
      return setp<T, Comparison::leu>;
    case Comparison::gtu:
      return setp<T, Comparison::gtu>;
    case Comparison::geu:
      return setp<T, Comparison::geu>;
    case Comparison::num:
      return setp<T, Comparison::num>;
    case Comparison::nan:
      return setp<T, Comparison::nan>;
    default:
      return of_order<T>(how);
  }
}

template <char Op>
void logic(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const std::uint32_t a = truth(warp, code.r[1]);
  const std::uint32_t b = code.r[2].used != 0 ? truth(warp, code.r[2]) : 0;
  const std::uint32_t value = Op == '&' ? a & b : Op == '|' ? a | b : Op == '^' ? a ^ b : Op == '~' ? ~a : a;
  std::uint32_t& to = bits(warp, code.r[0]);
  to = (to & ~mask) | (value & mask);
}

template <class T>
void selp(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto to = lanes<T>(warp, code.r[0]);
  const auto a = lanes<T>(warp, code.r[1]);
  const auto b = lanes<T>(warp, code.r[2]);
  const std::uint32_t chosen = truth(warp, code.r[3]);
  each_lane(mask, [=](std::uint32_t i) { to.put(i, (chosen >> i & 1) != 0 ? a.get(i) : b.get(i)); });
}

}  // namespace

Handler compare(Comparison how, Join, Type type, bool) {
  switch (type) {
    case Type::b16:
    case Type::u16:
      return of_order<std::uint16_t>(how);
    case Type::s16:
      return of_order<std::int16_t>(how);
    case Type::b32:
    case Type::u32:
      return of_order<std::uint32_t>(how);
    case Type::s32:
      return of_order<std::int32_t>(how);
    case Type::b64:
    case Type::u64:
      return of_order<std::uint64_t>(how);
    case Type::s64:
      return of_order<std::int64_t>(how);
    case Type::f16:
      return of_float<Half>(how);
    case Type::bf16:
      return of_float<Brain>(how);
    case Type::f32:
      return of_float<float>(how);
    case Type::f64:
      return of_float<double>(how);
    default:
      return nullptr;
  }
}

Handler predicate(std::string_view word) {
  if (word == "and") return logic<'&'>;
  if (word == "or") return logic<'|'>;
  if (word == "xor") return logic<'^'>;
  if (word == "not") return logic<'~'>;
  return word == "mov" ? logic<'='> : nullptr;
}

Handler select(Type type) {
  const std::uint32_t size = ptx::size_of(type);
  if (size == 8) return selp<std::uint64_t>;
  return size == 4 || size == 2 ? selp<std::uint32_t> : nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
