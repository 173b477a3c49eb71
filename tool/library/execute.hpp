// SPDX-License-Identifier: Apache-2.0
// Becoming another program. Tests: tests/tool/run_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace nvmlab::tool {

// In place of this program, by the PATH; a client that was fetched for the demo where the PATH has none of that name.
// Returns only when that fails, with the exit code.
int execute(const std::vector<std::string>& command);

}  // namespace nvmlab::tool
