// SPDX-License-Identifier: Apache-2.0
//
// A report for people and programs to read: rows that say the same of several GPUs become one line, grouped by topic,
// and statements become short texts. Tests: tests/unit/compare/group_rows_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compare/compare.hpp"

namespace nvmlab::compare {

struct Line {
  Class which = Class::equal;
  std::vector<Pair> gpus;  // empty: of the node
  const Statement* a = nullptr;
  const Statement* b = nullptr;

  const Statement& any() const { return a != nullptr ? *a : *b; }
};

// By topic, in the order of their first rows; within one, by name in that order.
std::vector<Line> group_rows(const Report& report);

// The two as short texts, without a limit of length: "700000 mW", "NOT_SUPPORTED", "-" where it is not known,
// "(41 C)" where that is only assumed, "12 items". Of two lists or records also what differs first.
struct Cells {
  std::string a;
  std::string b;
  std::string part;  // empty: there are no parts to tell apart
  std::string part_a;
  std::string part_b;
  std::size_t different_parts = 0;
};
Cells cells_of(const Statement* a, const Statement* b);

}  // namespace nvmlab::compare
