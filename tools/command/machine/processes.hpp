// SPDX-License-Identifier: Apache-2.0
// Processes as people write them on a command line. Tests: tests/command/ps_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "engine/change/change.hpp"
#include "command/machine/instances.hpp"

namespace nvmlab::tool {

// What `nvmlab ps add` was given; what is absent is found out or assumed.
struct ProcessWords {
  std::string pid;
  std::string type = "compute";
  std::optional<std::string> name;
  std::optional<std::string> memory;
  std::optional<std::string> sm;
  std::optional<std::string> memory_bandwidth;
  InstanceOptions instances;
};

std::expected<std::uint32_t, std::string> read_pid(const std::string& word);

// Of a process that runs here, its own name and start stand in for what was not given.
std::expected<StartProcess, std::string> read_process(const ProcessWords& words);

// The pid of a running process for the caller; of one that he does not see, its own and the pid namespace that it is
// of.
struct ListedPid {
  std::uint32_t pid;
  std::uint64_t pid_namespace;  // 0: the caller's
};
ListedPid listed_pid(const Processes::Process& process);

// "C", "G", "C+G", "M+C", as nvidia-smi has it.
std::string type_of(std::uint32_t kinds);

// All changes or none, with what to say where the machine refuses; `pid` is what they are about.
std::optional<std::string> apply_to_processes(Store& store, StoreFile& file, const std::vector<Change>& changes,
                                              std::uint32_t pid);

}  // namespace nvmlab::tool
