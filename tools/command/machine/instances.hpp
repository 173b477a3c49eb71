// SPDX-License-Identifier: Apache-2.0
// --gpu-instance and --compute-instance: the MIG instances that something is about. Tests:
// tests/command/event_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "command/cli/command_line.hpp"
#include "control/events.hpp"

namespace nvmlab::tool {

struct Instances {
  std::uint32_t gpu = kNoInstance;
  std::uint32_t compute = kNoInstance;
};

struct InstanceOptions {
  std::optional<std::string> gpu;
  std::optional<std::string> compute;

  void declare(CommandLine& line);
  std::expected<Instances, std::string> read() const;
};

}  // namespace nvmlab::tool
