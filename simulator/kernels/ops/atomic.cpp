// SPDX-License-Identifier: Apache-2.0
// atom and red: lanes one after another, each in one step for all threads of the host.
#include <bit>

#include "kernels/ops/addresses.hpp"
#include "kernels/ops/families.hpp"
#include "kernels/ops/numbers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {
namespace {

using ptx::Type;

enum class AtomicOp : std::uint8_t { add, min, max, inc, dec, exch, cas, conjunction, disjunction, exclusive };

struct HalfPair {};
struct BrainPair {};

template <class T>
struct InMemory {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
};
template <>
struct InMemory<Half> {
  using Word = std::uint16_t;
};
template <>
struct InMemory<Brain> {
  using Word = std::uint16_t;
};
template <>
struct InMemory<std::uint16_t> {
  using Word = std::uint16_t;
};
template <>
struct InMemory<HalfPair> {
  using Word = std::uint32_t;
};
template <>
struct InMemory<BrainPair> {
  using Word = std::uint32_t;
};

std::uint32_t half_sum(std::uint32_t a, std::uint32_t b, Format of) {
  return narrowed(odd_sum(widened(a & 0xFFFF, of), 1, widened(b & 0xFFFF, of)), of, Rounding::nearest);
}

// A number wins over what is none, and -0 is smaller than 0.
std::uint32_t half_extreme(std::uint32_t a, std::uint32_t b, Format of, bool less) {
  const double x = widened(a & 0xFFFF, of);
  const double y = widened(b & 0xFFFF, of);
  if (std::isnan(x) && std::isnan(y)) return narrowed(x, of, Rounding::nearest);
  if (std::isnan(x) || std::isnan(y)) return (std::isnan(x) ? b : a) & 0xFFFF;
  const bool first = x == y ? std::signbit(x) == less : (x < y) == less;
  return (first ? a : b) & 0xFFFF;
}

template <class T>
inline constexpr bool kIsHalfPair = std::is_same_v<T, HalfPair> || std::is_same_v<T, BrainPair>;
template <class T>
inline constexpr Format kHalfFormat = std::is_same_v<T, Half> || std::is_same_v<T, HalfPair> ? kHalf : kBrain;

template <class T, AtomicOp Kind, class Word>
Word changed(Word old, Word a, Word b) {
  if constexpr (Kind == AtomicOp::exch) return a;
  if constexpr (Kind == AtomicOp::cas) return old == a ? b : old;
  if constexpr (Kind == AtomicOp::conjunction) return old & a;
  if constexpr (Kind == AtomicOp::disjunction) return old | a;
  if constexpr (Kind == AtomicOp::exclusive) return old ^ a;
  if constexpr (Kind == AtomicOp::inc) return old >= a ? 0 : old + 1;
  if constexpr (Kind == AtomicOp::dec) return old == 0 || old > a ? a : old - 1;
  if constexpr (Kind == AtomicOp::add) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Brain>) {
      return static_cast<Word>(half_sum(old, a, kHalfFormat<T>));
    } else if constexpr (kIsHalfPair<T>) {
      constexpr Format kOf = kHalfFormat<T>;
      return half_sum(old, a, kOf) | half_sum(old >> 16, a >> 16, kOf) << 16;
    } else if constexpr (std::is_floating_point_v<T>) {
      return std::bit_cast<Word>(canonical(std::bit_cast<T>(old) + std::bit_cast<T>(a)));
    } else {
      return old + a;
    }
  }
  if constexpr (Kind == AtomicOp::min || Kind == AtomicOp::max) {
    constexpr bool kLess = Kind == AtomicOp::min;
    if constexpr (std::is_arithmetic_v<T>) {
      const bool less = static_cast<T>(a) < static_cast<T>(old);
      return less == kLess ? a : old;
    } else {
      const std::uint32_t low = half_extreme(old, a, kHalfFormat<T>, kLess);
      if constexpr (!kIsHalfPair<T>) return static_cast<Word>(low);
      return static_cast<Word>(low | half_extreme(old >> 16, a >> 16, kHalfFormat<T>, kLess) << 16);
    }
  }
}

template <class T, AtomicOp Kind>
void atom(Warp& warp, const Instruction& code, std::uint32_t mask) {
  using Word = typename InMemory<T>::Word;
  std::uint64_t at[kLanes];
  if (!addresses(warp, code, mask, sizeof(Word), at)) return;
  const auto a = lanes<Word>(warp, code.r[1]);
  const auto b = lanes<Word>(warp, code.r[2].used != 0 ? code.r[2] : code.r[1]);
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::uint32_t>(__builtin_ctz(mask));
    auto* const memory = reinterpret_cast<Word*>(at[i]);
    Word old = __atomic_load_n(memory, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(memory, &old, changed<T, Kind, Word>(old, a.get(i), b.get(i)), false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
    if (code.r[0].used != 0) lanes<Word>(warp, code.r[0]).put(i, old);
  }
}

struct AtomicRow {
  std::string_view word;
  Handler b32;
  Handler b64;
  Handler s32;
  Handler s64;
};

constexpr AtomicRow kRows[] = {
    {"add", atom<u32, AtomicOp::add>, atom<u64, AtomicOp::add>, atom<u32, AtomicOp::add>, atom<u64, AtomicOp::add>},
    {"min", atom<u32, AtomicOp::min>, atom<u64, AtomicOp::min>, atom<std::int32_t, AtomicOp::min>,
     atom<std::int64_t, AtomicOp::min>},
    {"max", atom<u32, AtomicOp::max>, atom<u64, AtomicOp::max>, atom<std::int32_t, AtomicOp::max>,
     atom<std::int64_t, AtomicOp::max>},
    {"inc", atom<u32, AtomicOp::inc>, nullptr, nullptr, nullptr},
    {"dec", atom<u32, AtomicOp::dec>, nullptr, nullptr, nullptr},
    {"exch", atom<u32, AtomicOp::exch>, atom<u64, AtomicOp::exch>, atom<u32, AtomicOp::exch>,
     atom<u64, AtomicOp::exch>},
    {"cas", atom<u32, AtomicOp::cas>, atom<u64, AtomicOp::cas>, atom<u32, AtomicOp::cas>, atom<u64, AtomicOp::cas>},
    {"and", atom<u32, AtomicOp::conjunction>, atom<u64, AtomicOp::conjunction>, nullptr, nullptr},
    {"or", atom<u32, AtomicOp::disjunction>, atom<u64, AtomicOp::disjunction>, nullptr, nullptr},
    {"xor", atom<u32, AtomicOp::exclusive>, atom<u64, AtomicOp::exclusive>, nullptr, nullptr},
};

template <AtomicOp Kind>
Handler of_halves(Type type) {
  switch (type) {
    case Type::f16:
      return atom<Half, Kind>;
    case Type::bf16:
      return atom<Brain, Kind>;
    case Type::f16x2:
      return atom<HalfPair, Kind>;
    case Type::bf16x2:
      return atom<BrainPair, Kind>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler atomic(std::string_view word, Type type) {
  if (word == "add" && type == Type::f32) return atom<float, AtomicOp::add>;
  if (word == "add" && type == Type::f64) return atom<double, AtomicOp::add>;
  if (type >= Type::f16 && type <= Type::bf16x2 && word == "add") return of_halves<AtomicOp::add>(type);
  if (type >= Type::f16 && type <= Type::bf16x2 && word == "min") return of_halves<AtomicOp::min>(type);
  if (type >= Type::f16 && type <= Type::bf16x2 && word == "max") return of_halves<AtomicOp::max>(type);
  if (ptx::size_of(type) == 2) return word == "cas" ? atom<std::uint16_t, AtomicOp::cas> : nullptr;
  if (ptx::is_float(type) && word != "exch" && word != "cas") return nullptr;
  for (const AtomicRow& row : kRows) {
    if (row.word != word) continue;
    if (ptx::size_of(type) == 4) return ptx::is_signed(type) ? row.s32 : row.b32;
    if (ptx::size_of(type) == 8) return ptx::is_signed(type) ? row.s64 : row.b64;
  }
  return nullptr;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
