// SPDX-License-Identifier: Apache-2.0
// The walk of recorder/, which `nvmlab record` writes to a file, as a list: every getter about everything, with every
// choice of arguments.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/library.hpp"
#include "recorder/walk_row.hpp"

namespace nvmlab::conformance {

using recorder::Moves;

inline constexpr int kMissing = -1;  // the library has no such function

struct Call {
  std::string function;
  int gpu = -1;     // -1: of the machine
  std::string key;  // function, subject and arguments, in words
  nlohmann::ordered_json arguments;
  int code = 0;                   // NVML's, or kMissing
  nlohmann::ordered_json values;  // of a call that succeeded
  Moves moves = Moves::unknown;
};

// In the order of a recording (docs/reference/recordings.md).
std::vector<Call> walk(const Library& library);

}  // namespace nvmlab::conformance
