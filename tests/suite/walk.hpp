// SPDX-License-Identifier: Apache-2.0
// The walk itself: every getter of generated/walk.hpp on every GPU with every enumerator, and every field id.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/suite/library.hpp"
#include "tests/suite/walk_row.hpp"

namespace nvmlab::suite {

struct Call {
  std::string function;
  int gpu = -1;  // -1: of the machine
  std::vector<std::pair<std::string, long long>> arguments;
  int code = 0;
  std::vector<std::pair<std::string, std::string>> values;  // of a call that succeeded; numbers in decimal
  Moves moves = Moves::unknown;

  std::string key() const;  // function, GPU and arguments, in words
};

// In the order of the table, GPU by GPU; functions that the library lacks have the code kMissing.
std::vector<Call> walk(const Library& library, const std::vector<Word>& gpus);

}  // namespace nvmlab::suite
