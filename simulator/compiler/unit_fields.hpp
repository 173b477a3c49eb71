// SPDX-License-Identifier: Apache-2.0
//
// Fields that tell one unit from another of the same board, or say where it sits: `unit_specific` in model/state/. A
// profile made from several GPUs leaves them to each GPU (import/write/split_boards.cpp), and a comparison of two
// machines has a class of its own for them. Tests: tests/unit/import/import_test.cpp,
// tests/unit/compare/fields_test.cpp.
#pragma once

#include <string_view>

namespace nvmlab::compiler {

bool names_one_unit(std::string_view field);

}  // namespace nvmlab::compiler
