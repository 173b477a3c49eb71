// SPDX-License-Identifier: Apache-2.0
//
// Assignments as people write them: PATH=VALUE, or a file for `nvmlab set -f` with topics and fields as profiles have
// them, or with lines PATH=VALUE and comments behind `#`. Tests: tests/command/get_set_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "control/assignments.hpp"

namespace nvmlab::tool {

// PATH=VALUE, one by one; all complaints at once.
std::expected<std::vector<control::Assignment>, Complaints> parse_assignments(const std::vector<std::string>& words);

// Everything that is wrong comes with file, line and column; "-" is standard input.
std::expected<std::vector<control::Assignment>, Complaints> read_assignments(const std::string& file);

}  // namespace nvmlab::tool
