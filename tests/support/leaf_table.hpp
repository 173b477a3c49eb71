// SPDX-License-Identifier: Apache-2.0
//
// A board's table of facts: the leaves of a capture as tab-separated lines, which a clone without the captures can be
// tested against. Columns: gpu, leaf, value. A further GPU has the leaves of GPU 0 but for those that are listed; a
// line without a value says that it lacks the leaf. Lines that start with '#' are remarks, but for those that name the
// board, its source and the number of GPUs. Tab, line end and backslash are written \t, \n and \\.
// Test: tests/unit/capture/leaf_table_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "import/capture/capture.hpp"

namespace nvmlab::test {

struct LeafTable {
  std::string board;
  std::string source;
  std::vector<capture::Leaf> leaves;  // line: in the table's file
};

[[nodiscard]] std::string write_table(const capture::Capture& capture, std::string_view board, std::string_view source);
[[nodiscard]] std::expected<LeafTable, capture::Error> read_table(std::string_view bytes, const std::string& name);

// Does the file begin like a table? Else it is taken for a capture.
[[nodiscard]] bool looks_like_table(std::string_view bytes);

}  // namespace nvmlab::test
