// SPDX-License-Identifier: Apache-2.0
// Names of NVML's macros and releases in namespace nvml::abi. Covered by tests/unit/codegen/abi_emitter_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace nvmlab::codegen::abi {

// "11.4.120" -> "11_4_120"
std::string identifier_of(std::string_view version);

// The name of a macro's constant in nvml::abi: NVML_X -> X, nvmlX -> X, X -> X_ ; the header's own name would be
// replaced by its macro.
std::string constant_name(std::string_view macro);

}  // namespace nvmlab::codegen::abi
