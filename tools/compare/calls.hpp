// SPDX-License-Identifier: Apache-2.0
//
// Two recordings as sides, call by call, with the return codes that the library gave: also of functions whose answers
// are no field of the state. A statement is a function with the inputs that C names choose; calls that differ in a
// number only (the link, the fan, the scope of a field id) are parts of one. Functions that one library lacks stand
// under "exports", and what the other answers to them is not known again. Tests: tests/unit/compare/calls_test.cpp.
#pragma once

#include <string_view>
#include <utility>

#include "compare/side.hpp"
#include "import/recording/recording.hpp"

namespace nvmlab::compare {

inline constexpr std::string_view kExports = "exports";  // topic of the functions that a library lacks

std::pair<Side, Side> calls_of(const recording::Recording& a, const recording::Recording& b);

// What a difference in an output means: what the field is of which the importer takes it to be a reading, and a
// reviewed list says it of those that are none.
Nature nature_of_output(const recording::Call& call, std::string_view output);

}  // namespace nvmlab::compare
