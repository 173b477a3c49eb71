// SPDX-License-Identifier: Apache-2.0
//
// Command lines of a scenario: taking them apart as a shell does, and running them within this program, so that a
// scenario has the commands that nvmlab has and no others. Tests: tests/unit/command/scenario_reader_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::tool {

// Blanks part words; '...' keeps what is in it, so does "..." but for a backslash, which keeps the next letter.
std::expected<std::vector<std::string>, std::string> split_words(std::string_view text);

// Why these words are no command of a scenario; nothing where they are one.
std::optional<std::string> problem_with_command(const std::vector<std::string>& words);

struct CommandOutcome {
  int code = 0;
  std::string printed;
  std::string complaints;  // a line each
};

// On the machine that NVMLAB_MACHINE names.
CommandOutcome run_command(const std::vector<std::string>& words);

}  // namespace nvmlab::tool
