// SPDX-License-Identifier: Apache-2.0
// Commands that ask NVML ask simulated GPUs where --profile, --machine, --gpus or --driver says so: they start
// themselves again below `nvmlab run`, which alone decides what such a node is. Tests: tests/command/devices_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/cli/command_line.hpp"

namespace nvmlab::tool {

class SimulatedNode {
 public:
  void declare(CommandLine& line);

  // Whether one is asked for.
  bool chosen() const { return !options_of_run().empty(); }
  // `nvmlab run` with the options, then `words` of this program. Returns only when that fails, with the exit code.
  int become(const std::vector<std::string>& words) const;

 private:
  std::vector<std::string> options_of_run() const;

  std::optional<std::string> profile_;
  std::optional<std::string> machine_;
  std::optional<std::string> gpus_;
  std::optional<std::string> driver_;
};

}  // namespace nvmlab::tool
