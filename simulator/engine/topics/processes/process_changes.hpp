// SPDX-License-Identifier: Apache-2.0
//
// Processes that begin and end on a GPU. Memory in use follows them, and accounting remembers those that have ended,
// where it is on. Tests: tests/drivers/functions/processes_test.cpp, tests/command/ps_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// A process takes a context. Percentages are those of the process alone; the GPU's own stay as they are.
struct StartProcess {
  std::uint32_t pid;
  std::uint32_t kinds;  // process_kinds.hpp
  std::uint64_t used_bytes;
  std::uint64_t start_ticks;    // of a real process, that real_process.hpp follows; 0: it stays until it is ended
  std::uint64_t pid_namespace;  // the inode of the namespace that the pid is of; that and the pid tell processes apart
  std::uint32_t gpu_instance;   // kNoInstance: none
  std::uint32_t compute_instance;
  std::uint32_t sm_percent;
  std::uint32_t memory_percent;
  char name[200];
};

// It lets go of all that it has.
struct EndProcess {
  std::uint32_t pid = 0;
  std::uint64_t pid_namespace = 0;  // of a process that is followed; 0: the first of that id
};

// What it holds from now on, all together.
struct ResizeProcess {
  std::uint32_t pid;
  std::uint64_t pid_namespace;  // as of EndProcess
  std::uint64_t used_bytes;
};

// What the running processes hold is free again; for a reset, which leaves none.
void release_memory_of_processes(Gpu& gpu);

// kInvalidArgument: no kind or a share over 100. kInUse: that process runs there already.
// kInsufficientResources: no room in the list. kNotFound: the GPU has no such MIG instance. kMemory: GPU or instance
// have not so much free.
Code make(const StartProcess& change, GpuEdit& gpu);

// kNotFound: that process does not run there.
Code make(const EndProcess& change, GpuEdit& gpu);

// kNotFound: no process of that id runs there. kMemory: the GPU has not so much free.
Code make(const ResizeProcess& change, GpuEdit& gpu);

}  // namespace nvmlab
