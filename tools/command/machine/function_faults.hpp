// SPDX-License-Identifier: Apache-2.0
//
// Faults of functions as people write and read them: `call nvmlDeviceGetTemperature --answer GPU_IS_LOST --times 3`.
// Tests: tests/command/function_fault_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "command/cli/command_line.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {

// The options of `nvmlab fault call`.
struct FunctionFaultOptions {
  std::optional<std::string> answer;
  std::optional<std::string> slow;
  bool hang = false;
  std::optional<std::string> skip;
  std::optional<std::string> every;
  std::optional<std::string> chance;
  std::optional<std::string> from;
  std::optional<std::string> span;
  std::optional<std::string> process;
  std::optional<std::string> seed;
  bool shared = false;

  void declare(CommandLine& line);
  // One that was given, for a fault that takes none of them; empty where there is none.
  std::string any_given() const;
  // Of calls about any GPU; an error names the word that is wrong.
  std::expected<FunctionFault, std::string> read(const std::vector<std::string>& words,
                                                 const std::optional<std::string>& times, std::uint64_t now_ns) const;
};

// The name of a function of NVML, or a pattern that some of them fit; an error names the nearest.
std::expected<void, std::string> check_function(const std::string& pattern);

// Of `nvmlab heal call FUNCTION`; all without it.
std::expected<HealFunctions, std::string> read_heal(const std::vector<std::string>& words, std::uint32_t gpu);

// As it was written; but for its GPU.
std::string describe(const FunctionFault& fault);

}  // namespace nvmlab::tool
