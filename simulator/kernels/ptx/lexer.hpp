// SPDX-License-Identifier: Apache-2.0
//
// PTX text to tokens. An opcode with its modifiers ("ld.param.u64") is a name and as many dotted words; names hold '%',
// '$' and '_' as PTX lets them. Tests: tests/unit/kernels/parser_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

#include "kernels/ptx/problem.hpp"

namespace nvmlab::ptx {

enum class TokenKind : std::uint8_t { end, name, dotted, integer, real, text, mark };

struct Token {
  TokenKind kind = TokenKind::end;
  bool single = false;     // of a real: 0f...
  std::string_view word;   // without the dot of a dotted word and the quotes of a text; a mark is one character
  std::uint64_t bits = 0;  // of a number; of a real those of a double, or of a float that was written as 0f...
  Place at;

  bool is(char mark) const { return kind == TokenKind::mark && word[0] == mark; }
};

// The last one is an end. Views look into the text.
std::expected<std::vector<Token>, Problem> tokens_of(std::string_view text);

}  // namespace nvmlab::ptx
