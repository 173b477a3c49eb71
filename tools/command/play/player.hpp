// SPDX-License-Identifier: Apache-2.0
//
// Plays a scenario on a machine that is up: waits until machine time is what a step says, or lets a virtual clock get
// there; runs its commands within this program; looks whether expectations hold. Tests: tests/command/play_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command/library/child.hpp"
#include "command/machine/machine_time.hpp"
#include "command/play/report.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {

struct PlayOptions {
  std::vector<std::string> client;  // run where a step shows something; empty: none
  std::function<void(const StepReport&)> on_step;
};

class Player {
 public:
  // Commands find the machine by NVMLAB_MACHINE.
  Player(const Scenario& scenario, const std::string& name, Machine& machine, const HeldSignals& signals,
         const PlayOptions& options);

  // Steps and failures of the report.
  void play(PlayReport& report);

 private:
  StepReport play(const ScenarioStep& step);
  void say_not_there(const ScenarioStep& step, Arrival arrival, std::uint64_t due_ns, StepReport& report) const;
  void run_commands(const ScenarioStep& step, StepReport& report) const;
  void wait_for_expectations(const ScenarioStep& step, const StepChecks& checks, StepReport& report);
  Arrival arrive_at(std::uint64_t due_ns);  // since the beginning
  bool stopped() const;
  std::uint64_t now() const { return machine_.clock().now_ns - beginning_ns_; }

  const Scenario& scenario_;
  const std::string& name_;
  Machine& machine_;
  const HeldSignals& signals_;
  const PlayOptions& options_;
  std::uint64_t beginning_ns_;
};

}  // namespace nvmlab::tool
