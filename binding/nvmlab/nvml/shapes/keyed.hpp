// SPDX-License-Identifier: Apache-2.0
// Structs of which the caller gives some members and the driver answers the others. Covered by
// tests/binding/keyed_test.cpp.
#pragma once

#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {

// A typed value into a member of a C struct.
template <class T, class C>
void give(const T& value, C& c) {
  to_c(value, c);
}

// `fill` puts the keys into the zeroed struct.
template <class T, class C, class F, class Fill, class... In>
Result<T> keyed_record(const State& state, F* Functions::*slot, Fill&& fill, const In&... in) {
  C c{};
  fill_version(c);
  fill(c);
  return ask_for<T>(
      state, slot, [&] { return answer_of<T>(c); }, in..., AnyPointer{&c});
}

// The one member that is no key.
template <class T, class C, class M, class F, class Fill, class... In>
Result<T> keyed_member(const State& state, F* Functions::*slot, Fill&& fill, M C::*member, const In&... in) {
  C c{};
  fill_version(c);
  fill(c);
  return ask_for<T>(
      state, slot, [&] { return answer_of<T>(c.*member); }, in..., AnyPointer{&c});
}

}  // namespace nvml::inline v1::detail
