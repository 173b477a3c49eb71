// SPDX-License-Identifier: Apache-2.0
//
// A comparison as text for a terminal. Tests: tests/unit/command/compare_table_test.cpp,
// tests/command/compare_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compare/group_rows.hpp"

namespace nvmlab::tool {

// Which classes are shown as lines of the table; the others are only counted.
struct Shown {
  bool classes[compare::class_names.size()] = {};
  bool names_of_missing = true;  // missing ones that are no lines are listed by name below the table
  bool origins = false;          // a column that says where A's values are from

  bool has(compare::Class which) const { return classes[static_cast<std::size_t>(which)]; }
  void add(compare::Class which) { classes[static_cast<std::size_t>(which)] = true; }
};

struct TwoSides {
  const compare::Side* a = nullptr;
  const compare::Side* b = nullptr;
  std::string level;  // by what they are compared: "field", "leaf", "call"
};

// Lines of at most `columns`, as far as names leave room for values.
std::string comparison_text(const TwoSides& sides, const compare::Report& report, const Shown& shown,
                            std::size_t columns);

// "0-3", "0:4,1:5" where the two sides number differently, "all" for all of several.
std::string name_pairs(const std::vector<compare::Pair>& pairs, const compare::Matching& matching);

}  // namespace nvmlab::tool
