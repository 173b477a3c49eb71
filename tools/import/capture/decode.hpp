// SPDX-License-Identifier: Apache-2.0
//
// The text of an input, whatever shell wrote it: UTF-16 and byte order marks (PowerShell's `>`), line ends of DOS and
// old Macs become plain UTF-8 lines, so that no reader of a format has to know. What is binary is refused with its
// line. Tests: tests/unit/import/session_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace nvmlab::capture {

// The error is a whole message: file:line:column: text.
std::expected<std::string, std::string> decode_text(std::string_view bytes, const std::string& name);

}  // namespace nvmlab::capture
