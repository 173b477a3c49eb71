// SPDX-License-Identifier: Apache-2.0
// What was wrong with an argument, as far as can be learnt. Covered by tests/binding/advice_test.cpp.
#pragma once

#include <string>

#include "nvmlab/loader/state.hpp"

namespace nvml::inline v1::detail {

// "limit is 900000 mW; 100000 to 700000 mW are allowed", a line for each number; "" where there is none.
std::string what_was_given(const State& state, std::size_t function, Arguments arguments);

}  // namespace nvml::inline v1::detail
