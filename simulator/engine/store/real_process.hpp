// SPDX-License-Identifier: Apache-2.0
//
// Real processes, as /proc shows them. A machine stores the PID that a process has in its own PID namespace, that
// namespace, and when the process began (the kernel's ticks since boot). So neither a later process with the same PID
// nor a process of another container is mistaken for it. Callers in other namespaces find the process under the PID
// that it has there. Tests: tests/drivers/functions/pid_namespace_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

// Returns when the process began; 0 if there is no such process (any more) or the caller cannot see it.
std::uint64_t start_of_process(std::uint32_t pid);

// Returns the inode of the calling process's PID namespace; 0 if the system does not report it.
std::uint64_t own_pid_namespace();

// Returns false if /proc shows an outer PID namespace, so that its PIDs are not those of the calling process.
bool proc_is_own();

// A process as the machine stores it.
struct RealProcess {
  std::uint32_t pid;
  std::uint64_t pid_namespace;
  std::uint64_t start_ticks;  // 0: there is no such process
};

// Returns the process that has this PID in the caller's namespace.
RealProcess find_real_process(std::uint32_t pid);

// Returns the PID of a stored process in the caller's namespace `own_namespace`; 0 if the caller does not see it. Reads
// /proc if the process is in another namespace.
std::uint32_t pid_for_caller(const RealProcess& process, std::uint64_t own_namespace);

// Returns true if a caller in this namespace sees that the process has ended. Processes of other namespaces are seen
// only from the system's first one.
bool has_ended(const RealProcess& process, std::uint64_t own_namespace);

}  // namespace nvmlab
