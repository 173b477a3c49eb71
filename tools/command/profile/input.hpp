// SPDX-License-Identifier: Apache-2.0
// Captures as bytes, however large or odd the file is. Tests: tests/command/import_test.cpp.
#pragma once

#include <expected>
#include <string>

namespace nvmlab::tool {

// Of a file, or of standard input, which is called "-". One byte beyond what the reader of captures takes, at most, so
// that it is that reader which refuses.
std::expected<std::string, std::string> read_input(const std::string& path);

}  // namespace nvmlab::tool
