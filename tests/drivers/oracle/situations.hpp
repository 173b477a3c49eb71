// SPDX-License-Identifier: Apache-2.0
//
// In which situations a library without a driver is asked: what was called before, and what the arguments are. Names
// and parameters come from the facts, so that a new function is asked without a change here.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/drivers/functions/support/arguments.hpp"

namespace nvmlab::oracle {

using driver_test::FunctionFacts;
using driver_test::Word;
using Words = std::array<Word, driver_test::kMaxWords>;

// One function call before the one in question.
struct Step {
  const char* function;
  Word argument;
};

// "after_init_v2" and the calls that lead there.
struct Lifecycle {
  const char* name;
  std::vector<Step> steps;
};
const std::vector<Lifecycle>& lifecycles();

// Functions that change what comes after them; each is asked in a process of its own.
bool changes_lifecycle(const std::string& function);

// "good", "zeros", "ones", "foreign", "null:NAME", "NAME=0", "fits", "short", "known_id".
std::vector<std::string> argument_kinds(const FunctionFacts& function);

// Arguments of that kind, in memory whose end is guarded. `fits` and `short` say how long a text is, `length` with its
// NUL; all others leave it alone.
// `good` are the words of fresh arguments.
void prepare(const FunctionFacts& function, const std::string& kind, std::size_t length, const Words& good,
             driver_test::Arguments& arguments);

}  // namespace nvmlab::oracle
