// SPDX-License-Identifier: Apache-2.0
// The node that options and environment describe, for commands that compile it: the options first, then what the
// simulated driver reads (docs/guide/environment.md). Tests: tests/command/machines_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "command/profile/sources.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {

struct ChosenMachine {
  compiler::Machine machine;
  Complaints notes;                  // what a configuration of NVIDIA's mock says that is not simulated
  std::vector<Change> changes = {};  // what it lets happen
};

// Makes the changes on the machine that has come up; what is refused is told.
Complaints make_changes(const ChosenMachine& chosen, Machine& machine);

std::expected<ChosenMachine, Complaints> load_chosen_machine(const std::optional<std::string>& profile,
                                                             compiler::CompileOptions options);

}  // namespace nvmlab::tool
