// SPDX-License-Identifier: Apache-2.0
//
// What came of a scenario: as text for people, as JSON, and as JUnit XML for CI. With a virtual clock two runs give the
// same bytes. Tests: tests/command/play_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/cli/output.hpp"
#include "command/machine/json.hpp"
#include "command/play/check.hpp"
#include "command/play/scenario.hpp"
#include "command/play/words.hpp"

namespace nvmlab::tool {

struct CommandReport {
  const ScenarioCommand* command = nullptr;
  CommandOutcome outcome;
};

struct StepReport {
  const ScenarioStep* step = nullptr;
  std::uint64_t began_ns = 0;  // machine time since the beginning
  std::uint64_t ended_ns = 0;
  std::vector<CommandReport> commands;
  std::vector<CheckReport> checks;
  Complaints failures;  // other than of checks: each with its place
  std::string shown;    // by the client

  bool passed() const { return failures.empty() && all_held(checks); }
};

struct PlayReport {
  const Scenario* scenario = nullptr;
  std::string machine;  // which it was played on, for people
  std::vector<StepReport> steps;
  Complaints failures;  // why it was not played to its end

  bool passed() const;
  std::uint64_t length_ns() const { return steps.empty() ? 0 : steps.back().ended_ns; }
};

// Its parts, to be printed as they come.
std::string text_of_head(const PlayReport& report);
std::string text_of_step(const StepReport& step);
std::string text_of_end(const PlayReport& report);

// What a step is called: what its file says about it, else what it does.
std::string title_of(const ScenarioStep& step);

Json json_of_plays(const std::vector<PlayReport>& reports);
std::string junit_of_plays(const std::vector<PlayReport>& reports);

}  // namespace nvmlab::tool
