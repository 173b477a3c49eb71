// SPDX-License-Identifier: Apache-2.0
// Files that are complete or not there at all. Tests: tests/unit/base/write_file_test.cpp.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace nvmlab {

// Under a temporary name beside it first, so whoever opens `path` finds the old file or the new one; never through a
// link. `mode` as open(2) takes it. The error names the file.
std::expected<void, std::string> write_file(const std::string& path, const std::vector<std::byte>& bytes,
                                            unsigned mode);

}  // namespace nvmlab
