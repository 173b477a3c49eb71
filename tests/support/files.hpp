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

// The folder of captures beside the checkout, which is not part of the project, and a clone may lack it; or the one
// that NVMLAB_CAPTURES names.
[[nodiscard]] std::optional<std::filesystem::path> shared_captures();

}  // namespace nvmlab::test
