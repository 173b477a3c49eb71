// SPDX-License-Identifier: Apache-2.0
// What expected asks of its types, from the compiler itself: each question to <type_traits> makes classes, and there
// are expecteds by the dozen in each file that includes the binding. Covered by tests/binding/expected_test.cpp.
#pragma once

#include <type_traits>

namespace nvml::inline v1::detail {

// Whether a To can be made of these, and be assigned a From. Not the compiler's own words: newer compilers write what
// is behind a `requires` into the name of the function, and have no name for those.
template <class To, class... From>
inline constexpr bool kMakes = __is_constructible(To, From...);
template <class To, class From>
inline constexpr bool kAssigns = __is_assignable(To, From);

// Whether a From becomes a To without being asked.
#if __has_builtin(__is_convertible)  // GCC 12 has none
template <class From, class To>
inline constexpr bool kBecomes = __is_convertible(From, To);
#else
template <class From, class To>
inline constexpr bool kBecomes = std::is_convertible_v<From, To>;
#endif

template <class T>
inline constexpr bool kIsReference = false;
template <class T>
inline constexpr bool kIsReference<T&> = true;
template <class T>
inline constexpr bool kIsReference<T&&> = true;

// T without reference, const and volatile.
template <class T>
struct BareOf {
  using type = T;
};
template <class T>
struct BareOf<T&> : BareOf<T> {};
template <class T>
struct BareOf<T&&> : BareOf<T> {};
template <class T>
struct BareOf<const T> : BareOf<T> {};
template <class T>
struct BareOf<volatile T> : BareOf<T> {};
template <class T>
struct BareOf<const volatile T> : BareOf<T> {};
template <class T>
using Bare = typename BareOf<T>::type;

// What an expected<void, E> holds.
struct Nothing {};

// What an expected<T, E> holds, and what refers to its value.
template <class T>
struct HeldOf {
  static constexpr bool none = false;
  using type = Bare<T>;
  using reference = T&;
  using const_reference = const T&;
};
template <class T>
requires(__is_same(Bare<T>, void)) struct HeldOf<T> {
  static constexpr bool none = true;
  using type = Nothing;
  using reference = T;
  using const_reference = T;
};

}  // namespace nvml::inline v1::detail
