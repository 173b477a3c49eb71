// SPDX-License-Identifier: Apache-2.0
// The functions that a driver's library exports, nvml* or others by their prefix: read from the library's ELF dynamic
// symbol table, or from a list with one name a line. Covered by tests/unit/codegen/symbols_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

// Sorted, without duplicates. Only 64-bit little-endian ELF libraries; the file is never loaded, only read.
Result<std::vector<std::string>> exported_symbols(const std::filesystem::path& list_or_library,
                                                  std::string_view prefix = "nvml");

Result<std::vector<std::string>> symbols_in_elf(std::string_view image, const std::string& name,
                                                std::string_view prefix = "nvml");
Result<std::vector<std::string>> symbols_in_list(std::string_view text, const std::string& name,
                                                 std::string_view prefix = "nvml");

}  // namespace nvmlab::codegen
