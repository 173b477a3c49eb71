// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the state when a GPU starts over, and what clears its counters, from `reset`, `default` and
// `cleared_by` of the rows in model/state/. Tests: tests/unit/changes/resets_test.cpp.
#pragma once

#include <string>

#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

std::string resets_header(const Vocabulary& vocabulary);
std::string resets_source(const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
