// SPDX-License-Identifier: Apache-2.0
//
// Leaf by leaf: how far two nvidia-smi outputs agree. The percentage is over the leaves that both print; what only one
// prints is listed apart. Nothing is left out in silence: a leaf that is not compared is in a reviewed list
// (comparison.cpp) with its reason, and the report names it. Test: tests/unit/capture/comparison_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/capture/capture.hpp"

namespace nvmlab::test {

struct Difference {
  int gpu = capture::node;
  std::string path;
  std::string expected;
  std::string actual;
};

struct Uncompared {
  int gpu = capture::node;
  std::string path;
  std::string_view reason;
};

struct Tally {
  std::size_t agreeing = 0;
  std::size_t different = 0;

  [[nodiscard]] std::size_t compared() const { return agreeing + different; }
  [[nodiscard]] double percent() const;  // 0 where nothing was compared
};

struct Comparison {
  Tally total;
  std::map<std::string, Tally, std::less<>> sections;  // by the first name of the path
  std::vector<Difference> different;
  std::vector<Difference> only_expected;  // "actual" is empty
  std::vector<Difference> only_actual;    // "expected" is empty
  std::vector<Uncompared> uncompared;

  [[nodiscard]] double percent() const { return total.percent(); }
  // Without one section: the list of supported clocks is most of what some boards print, and must not outweigh the
  // rest.
  [[nodiscard]] Tally without(std::string_view section) const;
};

// What the expectation says about GPUs that it does not hold.
enum class Boards {
  as_captured,           // GPU n is compared with GPU n; further GPUs are not compared
  first_stands_for_all,  // GPUs that were not captured are compared with GPU 0, without what tells one unit from
                         // another
};

[[nodiscard]] Comparison compare(std::span<const capture::Leaf> expected, std::span<const capture::Leaf> actual,
                                 Boards boards = Boards::as_captured);

// A readable report: the percentages, the differences, then the rest grouped by leaf.
[[nodiscard]] std::string report(const Comparison& comparison, std::string_view expected_name,
                                 std::string_view actual_name);

}  // namespace nvmlab::test
