// SPDX-License-Identifier: Apache-2.0
// Becoming another program. Tests: tests/command/run_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nvmlab::tool {

// In place of this program, by the PATH; where that has none of the name, a client that was fetched for the demo and
// fits the driver branch. Returns only when that fails, with the exit code.
int execute(const std::vector<std::string>& command, const std::function<std::uint32_t()>& branch);

}  // namespace nvmlab::tool
