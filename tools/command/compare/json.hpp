// SPDX-License-Identifier: Apache-2.0
// A comparison as JSON; docs/reference/compare-json.md is its schema. Tests: tests/command/compare_test.cpp.
#pragma once

#include "command/compare/table.hpp"
#include "command/machine/json.hpp"

namespace nvmlab::tool {

Json json_of(const TwoSides& sides, const compare::Report& report, const Shown& shown);

}  // namespace nvmlab::tool
