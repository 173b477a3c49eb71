// SPDX-License-Identifier: Apache-2.0
//
// Spans of time as people write them. Exact: nothing goes through floating point, and nothing wraps.
// Tests: tests/unit/base/duration_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace nvmlab {

// "1h", "250ms", "1.5s", "1h30m": decimal numbers, each with its unit of ns, us, ms, s, m, h or d, in nanoseconds. The
// error names the place (characters counted from 1) and says what would be right.
std::expected<std::uint64_t, std::string> parse_duration(std::string_view text);

// "1h30m", "250ms", "0s": what parse_duration() reads to the same span.
std::string duration_text(std::uint64_t ns);

}  // namespace nvmlab
