// SPDX-License-Identifier: Apache-2.0
//
// What was printed against what is expected. "..." stands for anything: alone on a line for any number of lines, within
// a line for any characters. A line that begins with a backslash is meant as it stands behind it.
// Tests: tests/scenarios/matching_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::scenario {

using Lines = std::vector<std::string>;

bool line_matches(std::string_view expected, std::string_view printed);
bool matches(const Lines& expected, const Lines& printed);

// What is expected from now on, so that `printed` meets it: lines and elisions that still hold stay as they are. Where
// something differs beside an elision of whole lines, all that was printed there is written out: to approve must not
// make a test weaker.
Lines approved(const Lines& expected, const Lines& printed);

// Both, line by line: "  " holds, "- " is missing, "+ " was not expected.
std::string difference(const Lines& expected, const Lines& printed);

}  // namespace nvmlab::scenario
