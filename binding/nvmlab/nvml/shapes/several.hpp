// SPDX-License-Identifier: Apache-2.0
// Methods of functions that write several values: each becomes a member of one struct.
// Covered by tests/binding/methods_scalar_test.cpp.
#pragma once

#include <optional>
#include <tuple>

#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {

// The function writes a C, and the method's struct takes it there.
template <class C, class R, class M>
struct Into {
  using Written = C;
  M R::*member;
  void take(const C& c, R& result) const { result.*member = typed_as<M>(c); }
};
template <class C, class R, class M>
constexpr Into<C, R, M> into(M R::*member) {
  return {member};
}

// The same where one value means that there is none.
template <class C, class R, class M>
struct IntoOptional {
  using Written = C;
  std::optional<M> R::*member;
  C nothing;
  void take(const C& c, R& result) const {
    if (c != nothing) result.*member = typed_as<M>(c);
  }
};
template <class C, class R, class M>
constexpr IntoOptional<C, R, M> into(std::optional<M> R::*member, C nothing) {
  return {member, nothing};
}

// The same where the function writes a struct of one member.
template <class C, class R, class M, class S>
struct IntoSole {
  using Written = C;
  M R::*member;
  M S::*sole;
  void take(const C& c, R& result) const { result.*member = typed_as<S>(c).*sole; }
};
template <class C, class R, class M, class S>
constexpr IntoSole<C, R, M, S> into(M R::*member, M S::*sole) {
  return {member, sole};
}

template <class R, class F, class... In, class... Out>
Result<R> several(const State& state, F* Functions::*slot, const std::tuple<In...>& in, const Out&... out) {
  std::tuple<typename Out::Written...> written{};
  std::apply([](auto&... each) { (fill_version(each), ...); }, written);
  const auto value = [&]() -> Result<R> {
    Result<R> result{std::in_place, Blank<R>{}};
    std::apply([&](const auto&... each) { (out.take(each, *result), ...); }, written);
    return result;
  };
  return std::apply(
      [&](auto&... each) {
        return std::apply([&](const auto&... given) { return ask_for<R>(state, slot, value, given..., &each...); }, in);
      },
      written);
}

}  // namespace nvml::inline v1::detail
