// SPDX-License-Identifier: Apache-2.0
// Whole files as text, with errors that name the file. Writing goes through a temporary neighbour, so that a reader
// never sees half a file. Covered by tests/unit/codegen/files_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

Result<std::string> read_file(const std::filesystem::path& path);

// Makes missing folders.
std::expected<void, Error> write_file(const std::filesystem::path& path, std::string_view text);

// The nearest folder from `start` upward that holds model/facts: the root of nvmlab's source tree.
Result<std::filesystem::path> find_root(const std::filesystem::path& start);

}  // namespace nvmlab::codegen
