// SPDX-License-Identifier: Apache-2.0
// Where a function of NVML stands in this repository: its verdict, what a person wrote for it, what is generated, and
// the tests that name it. For the contributor who fixes a getter. Covered by tests/unit/codegen/explain_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

// Empty where the library does not export it.
Result<std::string> whereabouts(const std::filesystem::path& root, std::string_view function);

}  // namespace nvmlab::codegen
