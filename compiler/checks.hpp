// SPDX-License-Identifier: Apache-2.0
//
// Values that are right one by one and wrong together: memory that does not fit, limits in the wrong order, two GPUs
// with one identity. Reported where the last of them stands. Tests: tests/unit/compiler/checks_test.cpp.
#pragma once

#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

// `places` say for each GPU what to name where a value has no place of its own.
void check(const NodeDraft& node, const std::vector<GpuDraft>& gpus, const std::vector<const yaml::Node*>& places,
           Problems& problems);

}  // namespace nvmlab::compiler
