// SPDX-License-Identifier: Apache-2.0
// Clocks of machines as people write and read them. Tests: tests/command/clock_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "command/cli/command_line.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {

std::string_view name_of(ClockMode mode);  // "real", "scaled", "frozen", "virtual"

// "60" or "0.5": how many seconds pass on the machine while one does on the host, in millionths.
std::expected<std::uint64_t, std::string> read_rate(const std::string& word);
std::string text_of_rate(std::uint64_t rate);

// The clock that a machine comes up with: --clock, --scale, --seed.
struct ClockOptions {
  std::optional<std::string> mode;
  std::optional<std::string> scale;
  std::optional<std::string> seed;

  void declare(CommandLine& line);
  std::expected<ClockBeginning, std::string> read() const;
};

}  // namespace nvmlab::tool
