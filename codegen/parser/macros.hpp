// SPDX-License-Identifier: Apache-2.0
// The part of extract() that reads macros. Internal to codegen/parser.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/facts.hpp"
#include "codegen/parser/clang.hpp"

namespace nvmlab::codegen {

// Every macro that `header` defines, by its tokens: name, kind and text, no value yet. An #undef does not unmake a
// fact.
std::vector<Macro> read_macros(const clang::Unit& unit, const std::string& header);

// Asks the compiler for the value and type of each macro that may have one. What looks like an alias or an expression
// but has no value stays as it is. `header` is included with the guard on, so that upgrade macros do not rename
// anything.
std::expected<void, Error> evaluate_macros(const clang::File& header, const std::vector<std::string>& defines,
                                           std::vector<Macro>& macros);

}  // namespace nvmlab::codegen
