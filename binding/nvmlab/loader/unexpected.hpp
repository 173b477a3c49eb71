// SPDX-License-Identifier: Apache-2.0
// The error of an expected, on its way there: `return nvml::unexpected(error);`. As std::unexpected, which C++20 lacks.
// Covered by tests/binding/expected_test.cpp.
#pragma once

#include "nvmlab/loader/language.hpp"
#include "nvmlab/loader/traits.hpp"

#include <exception>
#include <type_traits>
#include <utility>

#ifdef __cpp_lib_expected
#include <expected>
#endif

namespace nvml::inline v1 {

template <class T, class E>
class expected;  // nvmlab/loader/expected.hpp

/// The first argument of an expected that is made with an error in place.
struct unexpect_t {
  explicit unexpect_t() = default;
};
inline constexpr unexpect_t unexpect{};  ///< the one that there is

/// An error on its way into an expected: std::unexpected, with its members.
template <class E>
class unexpected {
 public:
  /// Of an error.
  template <class G = E>
  requires(!std::is_same_v<detail::Bare<G>, unexpected> && detail::kMakes<E, G>)  //
      constexpr explicit unexpected(G&& error) noexcept(__is_nothrow_constructible(E, G))
      : error_(std::forward<G>(error)) {}

  constexpr const E& error() const& noexcept { return error_; }               ///< the error
  constexpr E& error() & noexcept { return error_; }                          ///< the same
  constexpr const E&& error() const&& noexcept { return std::move(error_); }  ///< the same
  constexpr E&& error() && noexcept { return std::move(error_); }             ///< the same

  friend constexpr bool operator==(const unexpected& a, const unexpected& b) { return a.error_ == b.error_; }

 private:
  E error_;
};

/// By the type of the error.
template <class E>
unexpected(E) -> unexpected<E>;

/// What value() throws where the error is not an nvml::Error, which has an exception of its own (nvml::Exception).
template <class E>
class bad_expected_access : public std::exception {
 public:
  explicit bad_expected_access(E error) : error_(std::move(error)) {}  ///< of an error
  /// The error that was there.
  const E& error() const noexcept { return error_; }
  /// Always the same words.
  const char* what() const noexcept override { return "the value of an expected that holds an error"; }

 private:
  E error_;
};

namespace detail {

// Ours, and the standard library's where it has them: they are taken alike.
template <class T>
inline constexpr bool kIsExpected = false;
template <class T, class E>
inline constexpr bool kIsExpected<expected<T, E>> = true;
template <class T>
inline constexpr bool kIsUnexpected = false;
template <class E>
inline constexpr bool kIsUnexpected<unexpected<E>> = true;
#ifdef __cpp_lib_expected
template <class T, class E>
inline constexpr bool kIsExpected<std::expected<T, E>> = true;
template <class E>
inline constexpr bool kIsUnexpected<std::unexpected<E>> = true;
#endif

// Ends the program with these words.
[[noreturn]] void abort_without_value(const char* why) noexcept;

// For errors without a function of these names of their own, which Error has.
template <class E>
[[noreturn, gnu::cold]] void abort_for(const E& /*error*/) noexcept {
  abort_without_value("value() of an expected that holds an error");
}
#ifdef __cpp_exceptions
template <class E>
[[noreturn, gnu::cold]] void throw_for(const E& error) {
  throw bad_expected_access<E>{error};
}
#endif

// In line, so that each file follows its own flags where files with and without exceptions are linked together.
template <class E>
[[noreturn, gnu::always_inline]] inline void no_value(const E& error) {
#ifdef __cpp_exceptions
  throw_for(error);
#else
  abort_for(error);
#endif
}

}  // namespace detail
}  // namespace nvml::inline v1
