// SPDX-License-Identifier: Apache-2.0
//
// Files that killed programs leave in the folder of machines: drafts, and machines without a name (TemporaryMachine).
// A program that uses such a file holds a lock on it, and the kernel releases the lock when the program ends. Tests:
// tests/command/machines_test.cpp, tests/command/run_share_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "engine/store/lock.hpp"

namespace nvmlab::control {

// Returns a name for a machine that only one program uses. Another `attempt` gives another name.
std::string private_name(std::uint64_t attempt);

// Returns a descriptor: while it is open, sweep_machines_folder() keeps the machine. Negative if that failed.
int hold(const StoreFile& file);

// Removes drafts and temporary machines without a lock, and compiled profiles that were not used for a week.
void sweep_machines_folder();

}  // namespace nvmlab::control
