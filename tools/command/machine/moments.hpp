// SPDX-License-Identifier: Apache-2.0
// Points in time as people name and read them. Tests: tests/unit/command/moments_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace nvmlab::tool {

// In ns since 1970: a span of time (base/duration.hpp) before `now_ns`, or "2026-11-22", "2026-11-22 16:02" or
// "2026-11-22 16:02:11" in the zone of the user.
std::expected<std::uint64_t, std::string> read_moment(const std::string& text, std::uint64_t now_ns);

// "2026-11-22 16:02:11.123456", in the zone of the user.
std::string local_time(std::uint64_t time_ns);

}  // namespace nvmlab::tool
