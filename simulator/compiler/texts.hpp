// SPDX-License-Identifier: Apache-2.0
//
// Texts and byte strings of the state: what may be in them, and how they are written in YAML.
// Tests: tests/unit/compiler/texts_test.cpp.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::compiler {

// What keeps a text out of a field ("a NUL byte", ...); null when it is fine.
const char* text_flaw(std::string_view text);

// Hexadecimal digits, with dashes anywhere and an optional 0x: a UUID, a GUID.
std::expected<std::vector<std::byte>, std::string> parse_hex_bytes(std::string_view text, std::size_t size);
// As a UUID when there are sixteen of them.
std::string format_hex_bytes(const std::byte* bytes, std::size_t size);

// A scalar that YAML reads as exactly this text, in block and flow context.
std::string yaml_scalar(std::string_view text);

}  // namespace nvmlab::compiler
