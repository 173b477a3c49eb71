// SPDX-License-Identifier: Apache-2.0
// No line of generated C++ is wider than a reader's window. Emitters write one statement or row as one line where that
// is simplest; Output breaks what came out too wide here, by rules that do not change when somebody's formatter does.
// Covered by tests/unit/codegen/columns_test.cpp; tests/unit/codegen/generated_lines_test.cpp holds the tree to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nvmlab::codegen {

inline constexpr std::size_t kColumns = 120;

// Words in lines that each begin with `mark` ("// ", "  /// ") and end with a line feed.
std::string wrapped(std::string_view text, std::string_view mark);

// The same source, with lines wider than kColumns broken where C++ allows: between arguments and members, after an
// assignment, within a text between two words. A comment behind wide code moves above it. What cannot be broken stays.
std::string within_columns(std::string_view source);

// Markdown with its paragraphs wrapped. A row of a table is one line, however wide: Markdown knows no other.
std::string prose_within_columns(std::string_view page);

}  // namespace nvmlab::codegen
