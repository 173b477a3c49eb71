// SPDX-License-Identifier: Apache-2.0
//
// What programs that were killed leave in the folder of machines: drafts of machines, and machines without a name that
// `nvmlab run --share` would have taken down. Whoever has use of one holds a lock on it, which the kernel drops with
// its holder. Tests: tests/command/machines_test.cpp, tests/command/run_share_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "engine/store/lock.hpp"

namespace nvmlab::tool {

// For a machine that nobody is to name. Another `attempt` gives another name.
std::string private_name(std::uint64_t attempt);

// A descriptor that keeps a machine from being swept away, and its writers from nothing; negative where that failed.
int hold(const StoreFile& file);

// Drafts, private machines that nobody holds, and compiled profiles that nobody has used for a week.
void sweep_machines_folder();

}  // namespace nvmlab::tool
