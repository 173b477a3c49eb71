// SPDX-License-Identifier: Apache-2.0
// Methods that only do something. Covered by tests/binding/methods_scalar_test.cpp.
#pragma once

#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {

template <class F, class... In>
Result<void> command(const State& state, F* Functions::*slot, const In&... in) {
  return ask(state, slot, in...);
}

}  // namespace nvml::inline v1::detail
