// SPDX-License-Identifier: Apache-2.0
// The options of commands that call NVML: --library or the installed library, or simulated GPUs with --profile,
// --machine, --gpus or --driver. For these the command starts itself again under `nvmlab run`. Tests:
// tests/command/devices_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "command/cli/command_line.hpp"
#include "command/library/installed.hpp"

namespace nvmlab::tool {

class NvmlOptions {
 public:
  void declare(CommandLine& line);
  bool json() const { return json_; }

  // Replaces this process by `nvmlab run` with `command` if the options choose simulated GPUs. Returns an exit code if
  // that fails, and nothing if the GPUs are not simulated.
  std::optional<int> run_simulated(const std::string& command) const;

  std::expected<nvml::Library, std::string> open() const;

 private:
  std::vector<std::string> options_of_run() const;

  std::optional<std::string> profile_;
  std::optional<std::string> machine_;
  std::optional<std::string> gpus_;
  std::optional<std::string> driver_;
  std::string library_;
  bool json_ = false;
};

}  // namespace nvmlab::tool
