// SPDX-License-Identifier: Apache-2.0
// A scenario file: commands and what they print, as README.md in this folder describes it for people.
// Tests: tests/scenarios/scenario_test.cpp.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::scenario {

struct Step {
  std::size_t line = 0;               // of the command, from 1
  std::string command;                // with its continuation lines
  std::vector<std::string> expected;  // lines as they stand in the file
  int exit_code = 0;
  // The lines of the file, from 0, that approving replaces: what is expected, and the exit code.
  std::size_t first = 0;
  std::size_t last = 0;  // one beyond
};

struct Scenario {
  std::vector<std::string> lines;
  std::vector<std::string> needs;  // clients such as "nvidia-smi-550"
  std::vector<Step> steps;
};

// The error is "LINE: what is wrong; what would be right".
std::expected<Scenario, std::string> parse(std::string_view text);

// What a command printed and how it ended, as expectations that it meets: nothing in it is elided.
std::vector<std::string> expectation_of(const std::vector<std::string>& printed);

// The file with other expectations: `replacements` has those of each step, its exit code apart.
struct Replacement {
  std::vector<std::string> expected;
  int exit_code = 0;
};
std::string with_expectations(const Scenario& scenario, const std::vector<Replacement>& replacements);

std::vector<std::string> lines_of(std::string_view text);

}  // namespace nvmlab::scenario
