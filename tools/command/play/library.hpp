// SPDX-License-Identifier: Apache-2.0
//
// The scenarios that are part of nvmlab: scenarios/*.yaml, embedded at build time (embed_scenarios.cmake writes the
// table). Tests: tests/command/play_test.cpp.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "command/play/scenario.hpp"
#include "compiler/problems.hpp"

namespace nvmlab::tool {

struct ShippedScenario {
  std::string_view name;  // the file's stem
  std::string_view file;  // "profiles/scenarios/NAME.yaml", as messages show it
  std::string_view text;
};

// By name.
std::span<const ShippedScenario> shipped_scenarios();

// A shipped one by its name, or a file: with a slash, an ending .yaml, or because there is one of that name.
std::expected<Scenario, compiler::Problems> load_scenario(const std::string& name_or_file);

}  // namespace nvmlab::tool
