// SPDX-License-Identifier: Apache-2.0
// The steps of a scenario file, for its reader. Tests: tests/unit/command/scenario_reader_test.cpp.
#pragma once

#include <vector>

#include "command/play/scenario.hpp"
#include "compiler/problems.hpp"

namespace nvmlab::tool {

std::vector<ScenarioStep> read_steps(const yaml::Node& node, compiler::Problems& problems);

// One item of `expect`, which may name several fields.
std::vector<Expectation> read_expectation(const yaml::Node& node, compiler::Problems& problems);

}  // namespace nvmlab::tool
