// SPDX-License-Identifier: Apache-2.0
// A typed value made from what the driver wrote. Covered by tests/binding/lists_test.cpp.
#pragma once

#include <type_traits>

#include "nvmlab/loader/state.hpp"

namespace nvml::inline v1::detail {

// An object of a handle, a number as it is, anything else by its from_c. That one is found by its arguments, so it
// stands beside the C type or beside the typed one.
template <class T, class C>
T made(const Shared& library, const C& c) {
  if constexpr (std::is_constructible_v<T, Shared, C> && !std::is_aggregate_v<T>) {
    return T{library, c};
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(c);
  } else if constexpr (std::is_same_v<T, C>) {
    return c;
  } else {
    T typed{};
    from_c(c, typed);
    return typed;
  }
}

}  // namespace nvml::inline v1::detail
