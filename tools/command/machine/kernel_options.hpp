// SPDX-License-Identifier: Apache-2.0
// What `nvmlab run` says about CUDA kernels. Tests: tests/command/kernels_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "command/cli/command_line.hpp"

namespace nvmlab::tool {

struct KernelOptions {
  std::optional<std::string> record;
  std::optional<std::string> mode;

  void declare(CommandLine& line);
  // Sets the environment of the program; the exit code of what went wrong, or kGood.
  int prepare() const;
};

}  // namespace nvmlab::tool
