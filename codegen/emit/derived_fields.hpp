// SPDX-License-Identifier: Apache-2.0
//
// The functions that compute derived fields, by offset, from `derived` of the rows in model/state/.
// Tests: tests/unit/changes/derived_test.cpp.
#pragma once

#include <string>

#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

std::string derived_fields_header(const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
