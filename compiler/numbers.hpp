// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people write them: decimal or 0x hexadecimal, `_` between digits, and KiB, MiB, GiB where bytes are meant.
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

// A number, or a decimal one with KiB, MiB or GiB behind it ("518.625 MiB"), as long as it comes to whole bytes.
std::expected<Number, std::string> parse_bytes(std::string_view text);

// A decimal number in millionths, for the steps between clocks ("12.65625"); at most six decimal places.
inline constexpr std::uint64_t kMillion = 1'000'000;
std::expected<std::uint64_t, std::string> parse_millionths(std::string_view text);

}  // namespace nvmlab::compiler
