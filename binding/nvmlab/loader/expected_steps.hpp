// SPDX-License-Identifier: Apache-2.0
// What expected is made of, and what its monadic members do, once for all kinds of reference. A step may answer
// std::expected as well. Covered by tests/binding/expected_test.cpp.
#pragma once

#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/loader/traits.hpp"
#include "nvmlab/loader/unexpected.hpp"

#include <type_traits>
#include <utility>

namespace nvml::inline v1::detail {

// Puts back what stood in its place, where the constructor of what replaces it threw.
template <class E>
struct PutBack {
  E* place;
  E saved;
  bool done = false;
  constexpr explicit PutBack(E& error) noexcept : place(std::addressof(error)), saved(std::move(error)) {
    std::destroy_at(place);
  }
  constexpr ~PutBack() {
    if (!done) std::construct_at(place, std::move(saved));
  }
  PutBack(const PutBack&) = delete;
  PutBack& operator=(const PutBack&) = delete;
};

// A part of what is given as Whole&&, given away where that is: as std::forward_like of C++23. `*` of an expected that
// is given away would make a value of its own first.
template <class Whole, class Part>
constexpr auto&& part_of(Part& part) noexcept {
  if constexpr (std::is_lvalue_reference_v<Whole>) {
    return part;
  } else {
    return std::move(part);
  }
}

// f of these, where f may be a member. Not std::invoke: <functional> brings <algorithm> and hash tables.
template <class F, class... Of>
constexpr decltype(auto) call(F&& f, Of&&... of) {
  return std::forward<F>(f)(std::forward<Of>(of)...);
}
template <class F, class Of>
requires std::is_member_pointer_v<std::remove_cvref_t<F>>
constexpr decltype(auto) call(F&& f, Of&& of) {
  if constexpr (std::is_member_object_pointer_v<std::remove_cvref_t<F>>) {
    return (std::forward<Of>(of).*f);
  } else {
    return (std::forward<Of>(of).*f)();
  }
}
template <class F, class... Of>
using Called = decltype(detail::call(std::declval<F>(), std::declval<Of>()...));

// What f says of the value, of which there is none in an expected<void, E>.
template <class Self, class F>
constexpr decltype(auto) of_value(Self&& self, F&& f) {
  if constexpr (std::is_void_v<typename std::remove_cvref_t<Self>::value_type>) {
    return detail::call(std::forward<F>(f));
  } else {
    return detail::call(std::forward<F>(f), part_of<Self>(*self));
  }
}

// An expected of this type that holds an error.
template <class Next, class G>
constexpr Next with_error(G&& error) {
  return Next(typename Next::unexpected_type(std::forward<G>(error)));
}

// An expected of this type with what `other` holds as its value.
template <class Next, class Self>
constexpr Next with_value(Self&& self) {
  if constexpr (std::is_void_v<typename Next::value_type>) {
    return Next();
  } else {
    return Next(std::in_place, part_of<Self>(*self));
  }
}

template <class Self, class F>
constexpr auto and_then(Self&& self, F&& f) {
  using Next = std::remove_cvref_t<decltype(of_value(std::forward<Self>(self), std::forward<F>(f)))>;
  static_assert(kIsExpected<Next>, "what is given to and_then() answers an expected; transform() takes other answers");
  if (!self.has_value()) return with_error<Next>(part_of<Self>(self.error()));
  return Next(of_value(std::forward<Self>(self), std::forward<F>(f)));
}

template <class Self, class F>
constexpr auto transform(Self&& self, F&& f) {
  using Value = std::remove_cv_t<decltype(of_value(std::forward<Self>(self), std::forward<F>(f)))>;
  using Next = typename std::remove_cvref_t<Self>::template rebind<Value>;
  if (!self.has_value()) return with_error<Next>(part_of<Self>(self.error()));
  if constexpr (std::is_void_v<Value>) {
    of_value(std::forward<Self>(self), std::forward<F>(f));
    return Next();
  } else {
    return Next(std::in_place, of_value(std::forward<Self>(self), std::forward<F>(f)));
  }
}

template <class Self, class F>
constexpr auto or_else(Self&& self, F&& f) {
  using Next = std::remove_cvref_t<Called<F, decltype(part_of<Self>(self.error()))>>;
  static_assert(kIsExpected<Next>, "what is given to or_else() answers an expected");
  if (self.has_value()) return with_value<Next>(std::forward<Self>(self));
  return Next(detail::call(std::forward<F>(f), part_of<Self>(self.error())));
}

template <class Self, class F>
constexpr auto transform_error(Self&& self, F&& f) {
  using G = std::remove_cv_t<Called<F, decltype(part_of<Self>(self.error()))>>;
  using Next = expected<typename std::remove_cvref_t<Self>::value_type, G>;
  if (self.has_value()) return with_value<Next>(std::forward<Self>(self));
  return with_error<Next>(detail::call(std::forward<F>(f), part_of<Self>(self.error())));
}

}  // namespace nvml::inline v1::detail
