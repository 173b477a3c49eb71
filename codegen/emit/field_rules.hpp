// SPDX-License-Identifier: Apache-2.0
//
// The rules of fields that somebody may write, from `kind: setting`, `range`, `within` and `follows` of the rows in
// model/state/. Tests: tests/unit/codegen/vocabulary_test.cpp, tests/drivers/functions/settings_test.cpp.
#pragma once

#include <string>

#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

std::string field_rules_header(const Vocabulary& vocabulary);
std::string field_rules_source(const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
