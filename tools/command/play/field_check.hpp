// SPDX-License-Identifier: Apache-2.0
// Whether one field of one GPU, or of the node, is as a scenario expects. Tests: tests/command/play_test.cpp.
#pragma once

#include <cstddef>
#include <string>

#include "command/play/scenario.hpp"

namespace nvmlab::tool {

struct FieldFinding {
  bool held = false;
  std::string says;
};

// `owner` is the start of the Gpu or Node. `before` the same when the step began; null where no change is expected.
FieldFinding check_field(const FieldExpectation& expected, const std::byte* owner, const std::byte* before);

}  // namespace nvmlab::tool
