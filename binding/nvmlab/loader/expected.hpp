// SPDX-License-Identifier: Apache-2.0
// std::expected as it is in C++23, of our own in every language mode, so that what is compiled as C++20, 23 and 26 can
// be linked together. Converts from and to the standard one. Unlike it, what is taken from a temporary is a value and
// no reference into it. Covered by tests/binding/expected_test.cpp and tests/binding/language/.
#pragma once

#include "nvmlab/loader/expected_steps.hpp"
#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/loader/traits.hpp"
#include "nvmlab/loader/unexpected.hpp"

#include <utility>

namespace nvml::inline v1 {
/// A value, or the error that is there instead: std::expected, with its members. `*`, value() and error() of a
/// temporary answer by value, so that a loop or a reference may be bound to them.
template <class T, class E>
class [[nodiscard]] expected {
  using Of = detail::HeldOf<T>;
  static_assert(!detail::kIsReference<T> && __is_nothrow_constructible(E, E&&));
  static constexpr bool kVoid = Of::none;
  using Held = typename Of::type;

  template <class U>
  static constexpr bool kBare = !__is_same(detail::Bare<U>, expected);
  // Whether U is a value. Any expected converts to bool, which is not what is meant by a bool that may be missing.
  template <class U>
  static constexpr bool kIsValue =
      !kVoid && kBare<U> && !detail::kIsUnexpected<detail::Bare<U>> &&
      !(__is_same(Held, bool) && detail::kIsExpected<detail::Bare<U>>)&&detail::kMakes<Held, U>;

 public:
  using value_type = T;                   ///< of the value
  using error_type = E;                   ///< of the error
  using unexpected_type = unexpected<E>;  ///< what converts to this with an error
  template <class U>
  using rebind = expected<U, E>;  ///< the same with another value

  constexpr expected() requires(detail::kMakes<Held>) : value_(), has_value_(true) {}

  /// @cond copies, and what was moved
  constexpr expected(const expected& other)  //
      requires(detail::kMakes<Held, const Held&>&& detail::kMakes<E, const E&>)
      : has_value_(other.has_value_) {
    take(other);
  }
  constexpr expected(expected&& other) noexcept(__is_nothrow_constructible(Held, Held&&))  //
      requires(detail::kMakes<Held, Held&&>)
      : has_value_(other.has_value_) {
    take(std::move(other));
  }
  constexpr expected& operator=(const expected& other)  //
      requires(detail::kMakes<Held, const Held&>&& detail::kAssigns<Held&, const Held&>) {
    if (this != &other) assign(other);
    return *this;
  }
  constexpr expected& operator=(expected&& other) noexcept(__is_nothrow_constructible(Held, Held&&) &&
                                                           __is_nothrow_assignable(Held&, Held&&))  //
      requires(detail::kMakes<Held, Held&&>&& detail::kAssigns<Held&, Held&&>) {
    if (this != &other) assign(std::move(other));
    return *this;
  }
  /// @endcond

  /// A value.
  template <class U = Held>
  requires(kIsValue<U>)  //
      constexpr explicit(!detail::kBecomes<U, Held>) expected(U&& value) noexcept(__is_nothrow_constructible(Held, U))
      : value_(std::forward<U>(value)), has_value_(true) {}

  /// An error: an unexpected, also the standard library's.
  template <class U>
  requires(detail::kIsUnexpected<detail::Bare<U>>)  //
      constexpr expected(U&& why)                   // NOLINT(google-explicit-constructor): as std::expected
      : error_(std::forward<U>(why).error()), has_value_(false) {}

  /// What another expected holds, also the standard library's.
  template <class Other>
  requires(kBare<Other>&& detail::kIsExpected<detail::Bare<Other>> && !kIsValue<Other> &&
           detail::HeldOf<typename detail::Bare<Other>::value_type>::none == kVoid &&
           detail::kMakes<E, decltype(std::declval<Other>().error())>)  //
      constexpr expected(Other&& other)  // NOLINT(google-explicit-constructor): as std::expected
      : has_value_(other.has_value()) {
    take(std::forward<Other>(other));
  }

  /// A value that is made in place.
  template <class... A>
  requires(detail::kMakes<Held, A...>)  //
      constexpr explicit expected(std::in_place_t, A&&... with)
      : value_(std::forward<A>(with)...), has_value_(true) {}
  /// An error that is made in place.
  template <class... A>
  requires(detail::kMakes<E, A...>)  //
      constexpr explicit expected(unexpect_t, A&&... with)
      : error_(std::forward<A>(with)...), has_value_(false) {}

  constexpr ~expected() {
    if (has_value_) {
      std::destroy_at(std::addressof(value_));
    } else {
      std::destroy_at(std::addressof(error_));
    }
  }

  /// Another value in place of what there is.
  template <class... A>
  constexpr typename Of::reference emplace(A&&... with) {
    *this = expected(std::in_place, std::forward<A>(with)...);
    return **this;
  }

  constexpr bool has_value() const noexcept { return has_value_; }          ///< whether there is a value
  constexpr explicit operator bool() const noexcept { return has_value_; }  ///< as has_value()

  /// The value, which must be there.
  constexpr const Held* operator->() const noexcept requires(!kVoid) { return std::addressof(value_); }
  /// Likewise.
  constexpr typename Of::const_reference operator*() const& noexcept { return get(*this); }

  /// The value. Where there is none it throws, of an nvml::Error an nvml::Exception; a program that is compiled without
  /// exceptions ends with a message.
  [[gnu::always_inline]] constexpr typename Of::const_reference value() const& { return checked(*this); }

  /// The error, which must be there.
  constexpr const E& error() const& noexcept { return error_; }

  /// The value, else this one.
  template <class U = Held>
  requires(!kVoid) constexpr Held value_or(U&& otherwise) const& {
    return has_value_ ? value_ : static_cast<Held>(std::forward<U>(otherwise));
  }
  /// The error, else this one.
  template <class G = E>
  constexpr E error_or(G&& otherwise) const& {
    return has_value_ ? static_cast<E>(std::forward<G>(otherwise)) : error_;
  }
  /// f(value), which is an expected itself; the error where there is no value.
  template <class F>
  constexpr auto and_then(F&& f) const& {
    return detail::and_then(*this, std::forward<F>(f));
  }
  /// f(value) as the value of another expected.
  template <class F>
  constexpr auto transform(F&& f) const& {
    return detail::transform(*this, std::forward<F>(f));
  }
  /// f(error), which is an expected of the same value; the value where there is one.
  template <class F>
  constexpr auto or_else(F&& f) const& {
    return detail::or_else(*this, std::forward<F>(f));
  }
  /// f(error) as the error of another expected.
  template <class F>
  constexpr auto transform_error(F&& f) const& {
    return detail::transform_error(*this, std::forward<F>(f));
  }
  /// @cond the same of what may be changed, and of what is given away
  constexpr Held* operator->() noexcept requires(!kVoid) { return std::addressof(value_); }
  constexpr typename Of::reference operator*() & noexcept { return get(*this); }
  constexpr T operator*() const&& requires(kVoid || detail::kMakes<Held, const Held&>) { return get(*this); }
  constexpr T operator*() && noexcept(__is_nothrow_constructible(Held, Held&&)) { return get(std::move(*this)); }
  [[gnu::always_inline]] constexpr typename Of::reference value() & { return checked(*this); }
  [[gnu::always_inline]] constexpr T value() const&& requires(kVoid || detail::kMakes<Held, const Held&>) {
    return checked(*this);
  }
  [[gnu::always_inline]] constexpr T value() && { return checked(std::move(*this)); }
  constexpr E& error() & noexcept { return error_; }
  constexpr E error() const&& requires(detail::kMakes<E, const E&>) { return error_; }
  constexpr E error() && noexcept { return std::move(error_); }
  template <class U = Held>
  requires(!kVoid) constexpr Held value_or(U&& otherwise) && {
    return has_value_ ? std::move(value_) : static_cast<Held>(std::forward<U>(otherwise));
  }
  template <class F>
  constexpr auto and_then(F&& f) & {
    return detail::and_then(*this, std::forward<F>(f));
  }
  template <class F>
  constexpr auto and_then(F&& f) && {
    return detail::and_then(std::move(*this), std::forward<F>(f));
  }
  template <class F>
  constexpr auto transform(F&& f) & {
    return detail::transform(*this, std::forward<F>(f));
  }
  template <class F>
  constexpr auto transform(F&& f) && {
    return detail::transform(std::move(*this), std::forward<F>(f));
  }
  template <class F>
  constexpr auto or_else(F&& f) & {
    return detail::or_else(*this, std::forward<F>(f));
  }
  template <class F>
  constexpr auto or_else(F&& f) && {
    return detail::or_else(std::move(*this), std::forward<F>(f));
  }
  template <class F>
  constexpr auto transform_error(F&& f) & {
    return detail::transform_error(*this, std::forward<F>(f));
  }
  template <class F>
  constexpr auto transform_error(F&& f) && {
    return detail::transform_error(std::move(*this), std::forward<F>(f));
  }
  /// @endcond

  template <class U, class G>
  friend constexpr bool operator==(const expected& a, const expected<U, G>& b) {
    if (a.has_value() != b.has_value()) return false;
    if (!a.has_value()) return a.error() == b.error();
    if constexpr (kVoid) {
      return true;
    } else {
      return *a == *b;
    }
  }
  template <class U>
  requires(!kVoid && !detail::kIsExpected<U> && !detail::kIsUnexpected<U>)  //
      friend constexpr bool
      operator==(const expected& a, const U& b) {
    return a.has_value() && *a == b;
  }
  template <class U>
  requires(detail::kIsUnexpected<U>) friend constexpr bool operator==(const expected& a, const U& b) {
    return !a.has_value() && a.error() == b.error();
  }

#ifdef __cpp_lib_expected
  /// The same as the standard library's.
  constexpr operator std::expected<T, E>() const& {  // NOLINT(google-explicit-constructor): for signatures of users
    return as_standard(*this);
  }
  constexpr operator std::expected<T, E>() && {  // NOLINT(google-explicit-constructor): for signatures of users
    return as_standard(std::move(*this));
  }
#endif

 private:
  template <class U, class G>
  friend class expected;

  template <class Self>
  static constexpr auto get(Self&& self) noexcept -> decltype(*std::declval<Self>()) {
    if constexpr (!kVoid) return std::forward<Self>(self).value_;
  }
  template <class Self>
  [[gnu::always_inline]] static constexpr auto checked(Self&& self) -> decltype(*std::declval<Self>()) {
    if (!self.has_value_) [[unlikely]]
      detail::no_value(self.error_);
    if constexpr (!kVoid) return std::forward<Self>(self).value_;
  }

  // Makes of nothing what the other holds; has_value_ says it already.
  template <class Other>
  constexpr void take(Other&& other) {
    if (!has_value_) {
      std::construct_at(std::addressof(error_), detail::part_of<Other>(other.error()));
    } else if constexpr (kVoid) {
      std::construct_at(std::addressof(value_));
    } else {
      std::construct_at(std::addressof(value_), detail::part_of<Other>(*other));
    }
  }

  template <class Other>
  constexpr void assign(Other&& other) {
    if (has_value_ && other.has_value_) {
      value_ = std::forward<Other>(other).value_;
    } else if (!has_value_ && !other.has_value_) {
      error_ = std::forward<Other>(other).error_;
    } else if (has_value_) {
      E fresh(std::forward<Other>(other).error_);
      std::destroy_at(std::addressof(value_));
      std::construct_at(std::addressof(error_), std::move(fresh));
      has_value_ = false;
    } else {
      detail::PutBack<E> old(error_);
      std::construct_at(std::addressof(value_), std::forward<Other>(other).value_);
      old.done = has_value_ = true;
    }
  }

#ifdef __cpp_lib_expected
  template <class Self>
  static constexpr std::expected<T, E> as_standard(Self&& self) {
    if (self.has_value_) return detail::with_value<std::expected<T, E>>(std::forward<Self>(self));
    return std::unexpected<E>(std::forward<Self>(self).error_);
  }
#endif

  union {
    Held value_;
    E error_;
  };
  bool has_value_;
};

}  // namespace nvml::inline v1
