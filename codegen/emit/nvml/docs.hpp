// SPDX-License-Identifier: Apache-2.0
// The comments of generated methods: what a method does, where, which errors to expect, and the C name by which one
// search finds it. Covered by tests/unit/codegen/binding_methods_test.cpp.
#pragma once

#include <map>
#include <string>

#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/meaning/verdicts.hpp"

namespace nvmlab::codegen::methods {

// Of a method that asks one C function; `verdict` may be null.
std::string comment_of(const Writing& writing, const Method& method, const Verdict* verdict, const Piece& piece);

// Of a method that asks the newest of several.
std::string comment_of(const Writing& writing, const Family& family, const Verdict* verdict, const Piece& piece);

// Declarations by subject: a group of Doxygen's for each, where there are several.
std::string grouped(const std::map<std::string, std::string>& declarations);

// One "/// ..." comment of at most 120 columns a line, for a member of a class.
std::string doc_lines(std::string_view text);

}  // namespace nvmlab::codegen::methods
