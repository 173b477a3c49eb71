// SPDX-License-Identifier: Apache-2.0
// Whether what a scenario expects holds on a machine. Tests: tests/command/play_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/play/scenario.hpp"
#include "control/machine.hpp"
#include "control/view.hpp"

namespace nvmlab::tool {

struct CheckReport {
  std::string place;  // of the expectation in its file
  bool held = false;
  std::string says;  // what was found, and what was expected where that is something else
};

// A step of a scenario as it finds the machine; what changes is told from there.
class StepChecks {
 public:
  StepChecks(const ScenarioStep& step, Machine& machine);

  // Of all expectations, in order. GPUs of which the same is to be said share one report.
  std::vector<CheckReport> check() const;

 private:
  std::vector<CheckReport> check(const FieldExpectation& expected) const;
  std::vector<CheckReport> check(const EventExpectation& expected) const;
  std::vector<CheckReport> check(const AnswerExpectation& expected) const;

  const ScenarioStep& step_;
  const Machine& machine_;
  control::EventReader events_;                 // from the beginning of the step
  std::optional<control::MachineView> before_;  // of all GPUs, where a change is expected
};

bool all_held(const std::vector<CheckReport>& reports);

}  // namespace nvmlab::tool
