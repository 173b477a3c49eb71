// SPDX-License-Identifier: Apache-2.0
// What holds on every board and driver, whatever the numbers are.
#pragma once

#include <string>
#include <vector>

#include "conformance/walk.hpp"

namespace nvmlab::conformance {

// Sentences, one for each time that a law is broken. `tried` counts what could be looked at.
struct Verdict {
  std::vector<std::string> broken;
  unsigned tried = 0;
};

// Between two walks: what is fixed has not moved, counters have not fallen.
Verdict compare(const std::vector<Call>& before, const std::vector<Call>& after);

// Within one GPU and between GPUs: memory adds up, limits are within their range, clocks are on their grid, NVLink is
// symmetric.
Verdict hold_to_laws(const Library& library, const std::vector<Word>& gpus);

}  // namespace nvmlab::conformance
