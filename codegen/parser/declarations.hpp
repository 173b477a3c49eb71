// SPDX-License-Identifier: Apache-2.0
// The part of extract() that reads declarations: records, enums, typedefs, handles, functions. Internal to
// codegen/parser.
#pragma once

#include <set>
#include <string>

#include "codegen/model/facts.hpp"
#include "codegen/parser/clang.hpp"

namespace nvmlab::codegen {

// Type of a C expression or declaration in the words of the model; the array extents are left to the caller.
Result<Type> type_of(CXType type, CXCursor where);

// Fills everything but the macros, in declared order. Only declarations that stand in `header` count.
std::expected<void, Error> read_declarations(const clang::Unit& unit, const std::string& header, Release& release);

std::set<std::string> function_names(const clang::Unit& unit, const std::string& header);

}  // namespace nvmlab::codegen
