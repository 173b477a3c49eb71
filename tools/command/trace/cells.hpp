// SPDX-License-Identifier: Apache-2.0
//
// Cells of tables as nvidia-smi prints them. Tests: tests/unit/command/trace_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::tool {

struct Cell {
  std::string_view text;
  std::size_t column = 0;  // from 1, in its line
};

// Parted by commas, with blanks around them.
std::vector<Cell> cells_of_csv(std::string_view line);
// Parted by blanks.
std::vector<Cell> words_of(std::string_view line);

bool says_absent(std::string_view text);  // "-", "N/A", "[Not Supported]" and the like

// A number, with a unit or without, or hexadecimal; nothing where it is none.
std::optional<double> number_of(std::string_view text);

// "2026/07/14 08:12:53.353", "20260714 08:12:53", "08:12:53": nanoseconds, of a day where there is no date.
std::optional<std::uint64_t> time_of(std::string_view text);

}  // namespace nvmlab::tool
