// SPDX-License-Identifier: Apache-2.0
// Whether what a scenario expects holds on a machine. Tests: tests/command/play_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/store.hpp"
#include "command/machine/snapshot.hpp"
#include "command/play/scenario.hpp"

namespace nvmlab::tool {

struct CheckReport {
  std::string place;  // of the expectation in its file
  bool held = false;
  std::string says;  // what was found, and what was expected where that is something else
};

// A step of a scenario as it finds the machine; what changes is told from there.
class StepChecks {
 public:
  StepChecks(const ScenarioStep& step, const Store& store);

  // Of all expectations, in order. GPUs of which the same is to be said share one report.
  std::vector<CheckReport> check() const;

 private:
  std::vector<CheckReport> check(const FieldExpectation& expected) const;
  std::vector<CheckReport> check(const EventExpectation& expected) const;
  std::vector<CheckReport> check(const AnswerExpectation& expected) const;

  const ScenarioStep& step_;
  const Store& store_;
  std::uint64_t first_event_;
  std::optional<Snapshot> before_;  // of all GPUs, where a change is expected
};

bool all_held(const std::vector<CheckReport>& reports);

}  // namespace nvmlab::tool
