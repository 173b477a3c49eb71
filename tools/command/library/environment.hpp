// SPDX-License-Identifier: Apache-2.0
// Environment variables of the program that `nvmlab run` starts. Tests: tests/command/run_test.cpp.
#pragma once

#include <string>

namespace nvmlab::tool {

// Puts `path` in front of a list such as LD_LIBRARY_PATH, unless it is there already, as under another `nvmlab run`.
void prepend_path(const char* variable, const std::string& path);

}  // namespace nvmlab::tool
