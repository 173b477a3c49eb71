// SPDX-License-Identifier: Apache-2.0
// Methods that answer an object: a handle and a share of the library. Covered by tests/binding/owned_test.cpp.
#pragma once

#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {

template <class T, class Handle, class F, class... In>
Result<T> object(const Shared& library, F* Functions::*slot, const In&... in) {
  Handle handle{};
  if (const auto answer = ask(*library, slot, in..., &handle); !answer) return unexpected(answer.error());
  return T{library, handle};
}

}  // namespace nvml::inline v1::detail
