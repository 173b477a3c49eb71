// SPDX-License-Identifier: Apache-2.0
//
// Names of environment variables: those that nvmlab reads, so that one that is misspelt is not ignored in silence. What
// each means: docs/guide/environment.md. Tests: tests/unit/machine/variables_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

// The variable that was meant, where `name` begins with NVMLAB_, is none of ours and differs from one of them in a
// letter or two; else null.
const char* misspelt_variable(const char* name, std::uint32_t length);

}  // namespace nvmlab
