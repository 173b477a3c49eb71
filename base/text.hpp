// SPDX-License-Identifier: Apache-2.0
//
// Small questions about texts that several components ask. Tests: tests/unit/base/text_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nvmlab {

// Hexadecimal digits as nvidia-smi prints them: a to f become capitals.
std::string upper_hex(std::string text);

// A whole decimal number and nothing else.
std::optional<std::uint64_t> whole_number(std::string_view text);

// What stands behind the last slash of a path.
std::string_view last_part(std::string_view path);

// The length of the well-formed UTF-8 sequence at the start of a text that is not empty; 0 where there is none.
std::size_t utf8_length(std::string_view text);

}  // namespace nvmlab
