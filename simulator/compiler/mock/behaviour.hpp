// SPDX-License-Identifier: Apache-2.0
//
// What a device of a Go mock configuration does as time passes or calls come: its `failure`, and the curves that
// `dynamic_metrics` and `nvlink_error` ask for. Tests: tests/unit/compiler/mock_failure_test.cpp, mock_curves_test.cpp.
#pragma once

#include <vector>

#include "compiler/mock/curves.hpp"
#include "compiler/mock/failure.hpp"

namespace nvmlab::compiler {

struct MockBehaviour {
  MockFailure failure;
  SetMetricCurves curves{};
};

// To be made when the machine comes up; none of a GPU that stands still and is healthy.
std::vector<Change> changes_of(const MockBehaviour& behaviour, std::uint32_t gpu);

// From one to another while the machine is up: what ends, and what begins after the state has changed. What ends may
// have ended already, by a reset perhaps, so it may be refused as not found.
struct MockTransition {
  std::vector<Change> ends;
  std::vector<Change> begins;
};
MockTransition transition(const MockBehaviour& before, const MockBehaviour& after, std::uint32_t gpu);

}  // namespace nvmlab::compiler
