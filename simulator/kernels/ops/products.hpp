// SPDX-License-Identifier: Apache-2.0
// Sums and products of integers, which wrap. Included by what is compiled for each instruction set.
#pragma once

#include <cstdint>
#include <type_traits>

namespace nvmlab::kernels::NVMLAB_ISA {

template <class T>
using U = std::make_unsigned_t<T>;
template <class T>
inline constexpr unsigned kBits = sizeof(T) * 8;

// Twice as wide.
template <class T>
struct Twice;
template <>
struct Twice<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct Twice<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct Twice<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct Twice<std::int32_t> {
  using Type = std::int64_t;
};
__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;
template <>
struct Twice<std::uint64_t> {
  using Type = Uint128;
};
template <>
struct Twice<std::int64_t> {
  using Type = Int128;
};
template <class T>
using Wide = typename Twice<T>::Type;

template <class T>
T wrapped(auto value) {
  return static_cast<T>(value);
}

struct Add {
  template <class T>
  static T of(T a, T b) {
    return wrapped<T>(static_cast<U<T>>(a) + static_cast<U<T>>(b));
  }
};
struct Sub {
  template <class T>
  static T of(T a, T b) {
    return wrapped<T>(static_cast<U<T>>(a) - static_cast<U<T>>(b));
  }
};
struct MulLow {
  template <class T>
  static T of(T a, T b) {
    return wrapped<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};
struct MulHigh {
  template <class T>
  static T of(T a, T b) {
    return wrapped<T>(static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> kBits<T>);
  }
};
}  // namespace nvmlab::kernels::NVMLAB_ISA
