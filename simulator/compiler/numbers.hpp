// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people write them: decimal or 0x hexadecimal, `_` between digits, and quantities with their unit.
// Exact: nothing goes through floating point, and nothing wraps. Tests: tests/unit/compiler/numbers_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace nvmlab::compiler {

struct Number {
  bool negative = false;
  std::uint64_t magnitude = 0;
  bool operator==(const Number&) const = default;
};

// The error says what is wrong with the text, without saying whose it is.
std::expected<Number, std::string> parse_number(std::string_view text);

// A number in `unit` (one of model/state/), or a decimal one with a unit of the same kind behind it ("300 W" where mW
// are meant, "518.625 MiB" where bytes are), as long as it comes to a whole number. Without a unit: parse_number().
std::expected<Number, std::string> parse_quantity(std::string_view text, std::string_view unit);

// A decimal number in millionths, for the steps between clocks ("12.65625"); at most six decimal places.
inline constexpr std::uint64_t kMillion = 1'000'000;
std::expected<std::uint64_t, std::string> parse_millionths(std::string_view text);

}  // namespace nvmlab::compiler
