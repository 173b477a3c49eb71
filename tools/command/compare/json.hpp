// SPDX-License-Identifier: Apache-2.0
// A comparison as JSON; docs/reference/compare-json.md is its schema. Tests: tests/tool/compare_test.cpp.
#pragma once

#include "tool/compare/table.hpp"
#include "tool/machine/json.hpp"

namespace nvmlab::tool {

Json json_of(const TwoSides& sides, const compare::Report& report, const Shown& shown);

}  // namespace nvmlab::tool
