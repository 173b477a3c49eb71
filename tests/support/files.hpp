// SPDX-License-Identifier: Apache-2.0
//
// Files and folders for tests. Test: tests/support/process_test.cpp uses them all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/temp_folder.hpp"

namespace nvmlab::test {

using nvmlab::TempFolder;

[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path);
bool write_file(const std::filesystem::path& path, std::string_view bytes);

// From the environment that ctest sets (cmake/NvmlabTest.cmake); from the place of the program when run by hand.
[[nodiscard]] std::filesystem::path source_folder();
[[nodiscard]] std::filesystem::path binary_folder();

// The folder of captures that NVMLAB_CAPTURES names (`make test CAPTURES=FOLDER`): they are no part of the project.
[[nodiscard]] std::optional<std::filesystem::path> captures_folder();

}  // namespace nvmlab::test

// Declares a path of that name, or ends the test. NOLINTBEGIN(bugprone-macro-parentheses): a name takes none.
#define NVMLAB_REQUIRE_CAPTURES(folder)                                                      \
  const auto named_##folder = ::nvmlab::test::captures_folder();                             \
  if (!named_##folder) GTEST_SKIP() << "no captures are named: `make test CAPTURES=FOLDER`"; \
  const std::filesystem::path& folder = *named_##folder;                                     \
  if (!std::filesystem::is_directory(folder)) FAIL() << "NVMLAB_CAPTURES: " << folder << " is no folder"
// NOLINTEND(bugprone-macro-parentheses)
