// SPDX-License-Identifier: Apache-2.0
//
// Everything that is wrong with some files, each with its place: a compiler that stops at the first problem makes
// people run it once for each. Tests: tests/unit/compiler/compile_test.cpp, mock_config_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "base/located_error.hpp"

namespace nvmlab::compiler {

using Problem = LocatedError;
using Problems = std::vector<Problem>;

// Each problem once, those of one file in the order of the file; first those that belong to no file.
Problems in_file_order(Problems problems);

// One line for each problem.
std::string describe(const Problems& problems);

}  // namespace nvmlab::compiler
