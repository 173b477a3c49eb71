// SPDX-License-Identifier: Apache-2.0
//
// One row of model/state/: the attributes of a field, each by itself and with the others.
// Tests: tests/unit/codegen/vocabulary_test.cpp.
#pragma once

#include "codegen/error.hpp"
#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

Result<StateField> read_field(const yaml::Node& key, const yaml::Node& value);

}  // namespace nvmlab::codegen
