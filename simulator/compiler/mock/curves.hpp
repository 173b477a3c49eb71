// SPDX-License-Identifier: Apache-2.0
//
// The blocks `dynamic_metrics` and `nvlink_error` of a Go mock configuration, as curves that readings of a GPU follow
// (engine/topics/load/metric_curves.hpp). Each lays a block over what an earlier one said, key by key; one that is null
// takes it back. Tests: tests/unit/compiler/mock_curves_test.cpp.
#pragma once

#include <set>
#include <string>

#include "base/yaml/tree.hpp"
#include "compiler/problems.hpp"
#include "engine/change/change.hpp"

namespace nvmlab::compiler {

void read_mock_dynamics(const yaml::Node& block, SetMetricCurves& curves, Problems& problems, Problems& notes,
                        std::set<std::string>& unheeded);
void read_mock_link_errors(const yaml::Node& block, SetMetricCurves& curves, Problems& problems, Problems& notes,
                           std::set<std::string>& unheeded);

// Errors a second that all links of a GPU count beside those of `nvlink_error`.
void add_mock_link_errors(const yaml::Node& rate, SetMetricCurves& curves, Problems& problems);

}  // namespace nvmlab::compiler
