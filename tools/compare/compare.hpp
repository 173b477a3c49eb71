// SPDX-License-Identifier: Apache-2.0
//
// Two sides, statement by statement. Each pair of statements gets a class; what it takes to be equal, noise or missing
// is decided here once, for every kind of side:
//
//   equal       both say the same, or what one leaves open is assumed to be what the other says
//   value       both give a value, and they differ
//   code        one gives a value where the other gives a return code, or both give different codes
//   missing     only one of them tells it
//   noise       both give a value that moves by itself, at another moment
//   identifier  both give a value that names one unit, another one
//
// GPUs are matched by UUID if every GPU of the side that has fewer is found on the other by a real one, else likewise
// by PCI address, else by index. A side that describes one board is compared with every GPU of the other that is such
// a board by its name, or with all of them where none is.
// Tests: tests/unit/compare/compare_test.cpp, match_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/side.hpp"

namespace nvmlab::compare {

enum class Class : unsigned char { equal, value, code, missing, noise, identifier };
inline constexpr std::array<std::string_view, 6> class_names{"equal",   "value", "code",
                                                             "missing", "noise", "identifier"};
constexpr std::string_view name_of(Class which) { return class_names[static_cast<std::size_t>(which)]; }

enum class Matched : unsigned char { uuid, address, index, board, chosen };
std::string_view name_of(Matched how);  // "UUID", "PCI address", ...

using Pair = std::pair<int, int>;      // a GPU of A, a GPU of B
inline constexpr int node_index = -1;  // in a Row: of the node

struct Matching {
  Matched how = Matched::index;
  std::vector<Pair> pairs;
  std::vector<int> only_a;
  std::vector<int> only_b;
};
Matching match(const Side& a, const Side& b);

struct Options {
  std::optional<std::vector<Pair>> pairs;  // instead of matching
  bool identifiers = true;                 // else they are left out altogether
};

// One of them is null where that side does not know the name at all. Points into the sides.
struct Row {
  Class which = Class::equal;
  Pair gpus{node_index, node_index};
  const Statement* a = nullptr;
  const Statement* b = nullptr;

  const Statement& any() const { return a != nullptr ? *a : *b; }
};

struct Report {
  Matching matching;
  std::vector<Row> rows;  // also the equal ones, in the order of A, and of B where A lacks them
  std::array<std::size_t, class_names.size()> counts{};
  std::size_t assumed_equal = 0;  // of the equal ones, where only one side tells it
  // Among what both tell, but for values that move by themselves or name a unit.
  std::size_t steady_equal = 0;
  std::size_t steady_compared = 0;

  std::size_t count(Class which) const { return counts[static_cast<std::size_t>(which)]; }
  // Percent; nothing compared is no agreement.
  double agreement() const;
};

// Both sides have to outlive the report.
Report compare(const Side& a, const Side& b, const Options& options = {});

// What two statements about the same are; either may be null.
Class class_of(const Statement* a, const Statement* b);

// The parts of two lists or records that differ, in the order of A, then those that only B has. Null: that side lacks
// the part. A return code in place of an item stands against the first part of that item.
struct PartPair {
  const Part* a = nullptr;
  const Part* b = nullptr;

  const Part& any() const { return a != nullptr ? *a : *b; }
};
std::vector<PartPair> different_parts(const Statement& a, const Statement& b);
Class class_of(const PartPair& parts);

}  // namespace nvmlab::compare
