// SPDX-License-Identifier: Apache-2.0
//
// The range of a setting that differs from board to board: model/state/ names the fields that hold its ends (`within`).
// Tests: tests/drivers/functions/settings_test.cpp, tests/scenarios/setting_ranges.test.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "compiler/paths.hpp"

namespace nvmlab::control {

// The path of the field that a row of the model names: next to `ref` in its record, or as topic.field.
std::string path_beside(const compiler::FieldRef& ref, const std::string& name);

// Why the board does not take the number that `owner` has there; nothing where it takes it.
std::optional<std::string> outside_board_range(const compiler::FieldRef& ref, const std::byte* owner);

}  // namespace nvmlab::control
