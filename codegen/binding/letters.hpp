// SPDX-License-Identifier: Apache-2.0
// Kinds of letters in C names, in any locale.
#pragma once

namespace nvmlab::codegen {

constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace nvmlab::codegen
