// SPDX-License-Identifier: Apache-2.0
// Processes as users write them on a command line. Tests: tests/command/ps_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "command/machine/instances.hpp"
#include "control/processes.hpp"

namespace nvmlab::tool {

// The options of `nvmlab ps add`.
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

// Without a name, a process that runs here has its command line.
std::expected<StartProcess, std::string> read_process(const ProcessWords& words);

// "C", "G", "C+G", "M+C", as nvidia-smi prints it.
std::string type_of(std::uint32_t kinds);

}  // namespace nvmlab::tool
