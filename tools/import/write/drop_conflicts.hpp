// SPDX-License-Identifier: Apache-2.0
//
// A capture can contradict itself. Values that do not fit the rest are left out of the profile, with a note that names
// the line of the capture. Tests: tests/unit/import/conflicts_test.cpp.
#pragma once

#include <expected>
#include <string>

#include "base/complaints.hpp"
#include "import/write/split_boards.hpp"

namespace nvmlab::importer {

// Removes conflicting values from `evidence` and returns the boards of the rest. `input` names the inputs in complaints
// about the machine as a whole. Fails if no single value is wrong.
std::expected<BoardSplit, Complaints> drop_conflicts(Evidence& evidence, const std::string& machine,
                                                     const std::string& input);

}  // namespace nvmlab::importer
