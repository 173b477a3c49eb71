// SPDX-License-Identifier: Apache-2.0
//
// Removes real processes (engine/store/real_process.hpp) from their GPUs after they have ended. nvmlInit and the nvmlab
// command call it, in the namespace of the process or in the system's first one, which sees all. Tests:
// tests/drivers/functions/processes_test.cpp, tests/command/ps_test.cpp.
#pragma once

#include "engine/change/change.hpp"

namespace nvmlab {

// Ends each process that has ended and that the caller can see. Reads one word if the machine follows no process.
void settle_processes(MachineAccess& machine);

}  // namespace nvmlab
