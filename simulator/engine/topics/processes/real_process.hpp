// SPDX-License-Identifier: Apache-2.0
//
// Real processes on a simulated GPU are followed until they end: an entry holds the pid that the process has in the pid
// namespace that it lives in, which namespace that is, and when the process began (the kernel's ticks since boot), so
// that neither a later process of the same id nor one of another container is taken for it. Who can see the process
// finds it under the pid that it has for him. Whoever initialises NVML, or asks `nvmlab`, settles what has ended: in
// the namespace of the process or in the system's first one, which sees all. Tests:
// tests/drivers/functions/processes_test.cpp, tests/drivers/functions/pid_namespace_test.cpp, tests/command/ps_test.cpp.
#pragma once

#include <cstdint>

#include "engine/change/change.hpp"

namespace nvmlab {

// When the process began; 0 where there is none (any more) or it cannot be seen.
std::uint64_t start_of_process(std::uint32_t pid);

// Of the calling process; 0 where the system does not tell.
std::uint64_t own_pid_namespace();

// A process as the machine keeps it.
struct RealProcess {
  std::uint32_t pid;
  std::uint64_t pid_namespace;
  std::uint64_t start_ticks;  // 0: there is no such process
};
// The one that the caller knows under `pid`.
RealProcess find_real_process(std::uint32_t pid);

// Of a process that is followed: the pid that it has for the caller; 0 where he does not see it. `own_namespace` is the
// caller's. Looks through /proc where the process lives in another namespace.
std::uint32_t pid_for_caller(const RealProcess& process, std::uint64_t own_namespace);

// Ends what has ended and can be seen from here. One look at a word where nobody is followed.
void settle_processes(MachineAccess& machine);

}  // namespace nvmlab
