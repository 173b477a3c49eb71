// SPDX-License-Identifier: Apache-2.0
// A client that is run on the machine of a scenario, to show what it sees. Tests: tests/command/play_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "command/library/child.hpp"

namespace nvmlab::tool {

// What it printed, to standard output and standard error, below a line that names the moment; how it ended, where that
// was not with 0.
std::string show_client(const std::string& machine, const std::vector<std::string>& client, const std::string& moment,
                        const HeldSignals& signals);

}  // namespace nvmlab::tool
