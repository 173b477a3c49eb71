// SPDX-License-Identifier: Apache-2.0
// How handlers reach the lanes of a register. Included by what is compiled once for each instruction set, so all of it
// lies in that one's namespace.
#pragma once

#include <cstdint>

#include "kernels/ops/handlers.hpp"
#include "kernels/run/warp.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// Numbers of less than 4 bytes lie in the lower part of a lane.
template <unsigned Size>
struct LaneWord {
  using Word = std::uint32_t;
};
template <>
struct LaneWord<8> {
  using Word = std::uint64_t;
};

template <class T>
class Lanes {
 public:
  explicit Lanes(char* at) : at_(at) {}
  T get(std::uint32_t i) const {
    if constexpr (sizeof(T) < 4) {
      return static_cast<T>(reinterpret_cast<const std::uint32_t*>(at_)[i]);
    } else {
      return reinterpret_cast<const T*>(at_)[i];
    }
  }
  void put(std::uint32_t i, T value) const {
    if constexpr (sizeof(T) < 4) {
      reinterpret_cast<std::uint32_t*>(at_)[i] = static_cast<std::uint32_t>(value);
    } else {
      reinterpret_cast<T*>(at_)[i] = value;
    }
  }

 private:
  char* at_;
};

template <class T>
inline Lanes<T> lanes(const Warp& warp, Ref ref) {
  return Lanes<T>(warp.base[ref.constant] + ref.at);
}

inline std::uint32_t& bits(const Warp& warp, Ref ref) {
  return *reinterpret_cast<std::uint32_t*>(warp.base[ref.constant] + ref.at);
}

// A predicate as an operand; `wide` says that it is negated.
inline std::uint32_t truth(const Warp& warp, Ref ref) { return ref.wide != 0 ? ~bits(warp, ref) : bits(warp, ref); }

// A register is either read and written in the same place or in another one, so lanes do not depend on each other.
template <class Body>
[[gnu::always_inline]] inline void each_lane(std::uint32_t mask, Body body) {
  if (mask == kAllLanes) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::uint32_t i = 0; i < kLanes; ++i)
      body(i);
  } else {
    for (; mask != 0; mask &= mask - 1)
      body(static_cast<std::uint32_t>(__builtin_ctz(mask)));
  }
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
