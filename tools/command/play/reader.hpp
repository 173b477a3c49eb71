// SPDX-License-Identifier: Apache-2.0
//
// Scenario files, which may come from anybody: everything that is wrong with one is found before anything is played,
// each with file, line and column. Tests: tests/command/play_test.cpp, tests/unit/command/scenario_reader_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "command/play/scenario.hpp"
#include "compiler/problems.hpp"

namespace nvmlab::tool {

std::expected<Scenario, compiler::Problems> read_scenario_file(const std::string& path);
// `file` is its name in problems; the scenario is called as the file is.
std::expected<Scenario, compiler::Problems> read_scenario(std::string_view text, const std::string& file);

}  // namespace nvmlab::tool
