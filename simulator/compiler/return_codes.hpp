// SPDX-License-Identifier: Apache-2.0
//
// Names of NVML's return codes, as profiles and the command line write them: DEPRECATED or NVML_ERROR_DEPRECATED.
// Tests: tests/unit/compiler/return_codes_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace nvmlab::compiler {

// The code that NVML gives in place of a value. SUCCESS is none: then there would be a value.
std::expected<std::uint32_t, std::string> find_return_code(std::string_view name);

// Without NVML_ERROR_; a number where NVML has no name for it.
std::string return_code_name(std::uint32_t code);

}  // namespace nvmlab::compiler
