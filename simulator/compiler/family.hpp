// SPDX-License-Identifier: Apache-2.0
//
// What a board has that inherits shipped families and says nothing of its own.
// Tests: tests/unit/compiler/families_test.cpp.
#pragma once

#include <span>
#include <string>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

// The families laid over one another, the later over the earlier. Marks are those of no file.
GpuDraft inherited(std::span<const std::string> families);

}  // namespace nvmlab::compiler
