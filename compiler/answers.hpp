// SPDX-License-Identifier: Apache-2.0
//
// Names of NVML's return codes, as profiles and the command line write them: DEPRECATED or NVML_ERROR_DEPRECATED.
// Tests: tests/unit/compiler/answers_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace nvmlab::compiler {

// The code that NVML gives in place of a value. SUCCESS is none: then there would be a value.
std::expected<std::uint32_t, std::string> find_answer(std::string_view name);

// Without NVML_ERROR_; a number where NVML has no name for it.
std::string answer_name(std::uint32_t code);

}  // namespace nvmlab::compiler
