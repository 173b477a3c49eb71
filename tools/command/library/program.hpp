// SPDX-License-Identifier: Apache-2.0
// Where this program lies: what belongs to it lies beside it. Tests: tests/command/run_test.cpp.
#pragma once

#include <string>

namespace nvmlab::tool {

// Absolute; empty where it cannot be told, which takes a system without /proc and a call by the PATH.
std::string program_path();

}  // namespace nvmlab::tool
