// SPDX-License-Identifier: Apache-2.0
// Processes on GPUs of a machine. Tests: tests/command/ps_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/change/change.hpp"

namespace nvmlab {

class Machine;

namespace control {

// The PID of a process in the caller's PID namespace. If the caller does not see the process, its own PID and the
// namespace that it runs in.
struct ListedPid {
  std::uint32_t pid;
  std::uint64_t pid_namespace;  // 0: the caller's
};

struct ListedProcess {
  std::uint32_t gpu;
  ListedPid pid;
  Processes::Process process;
};
std::vector<ListedProcess> running_processes(const Machine& machine, std::span<const std::uint32_t> gpus);

// Returns the process with this PID in the caller's namespace, to be started on GPUs. Without `name` it has its command
// line, or process-PID if no such process runs here.
StartProcess find_process(std::uint32_t pid, const std::optional<std::string>& name);

// Starts the process on all of these GPUs, or on none. `pid` is its PID in the caller's namespace. The error is a
// sentence.
std::expected<void, std::string> start_process(Machine& machine, std::span<const std::uint32_t> gpus,
                                               const StartProcess& process, std::uint32_t pid);
// Ends the process on those of these GPUs on which it runs; an error if there is none.
std::expected<void, std::string> end_process(Machine& machine, std::span<const std::uint32_t> gpus, std::uint32_t pid);

}  // namespace control
}  // namespace nvmlab
