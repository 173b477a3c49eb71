// SPDX-License-Identifier: Apache-2.0
//
// Real processes on a simulated GPU are followed until they end: an entry holds the pid, when the process began (the
// kernel's ticks since boot) and the namespace that the pid is of, so that neither a later process of the same id nor
// one of another container is taken for it. Whoever initialises NVML in that namespace, or asks `nvmlab`, settles what
// has ended. Tests: tests/drivers/functions/processes_test.cpp, tests/tool/ps_test.cpp.
#pragma once

#include <cstdint>

#include "engine/machine/change.hpp"

namespace nvmlab {

// When the process began; 0 where there is none (any more) or it cannot be seen.
std::uint64_t start_of_process(std::uint32_t pid);

// Of the calling process; 0 where the system does not tell.
std::uint64_t own_pid_namespace();

// Ends what has ended and can be seen from here. One look at a word where nobody is followed.
void settle_processes(MachineAccess& machine);

}  // namespace nvmlab
