// SPDX-License-Identifier: Apache-2.0
// Emitter of the page of generated tests.
#pragma once

#include <cstddef>

#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/io/output.hpp"

namespace nvmlab::codegen::methods {

struct MethodCounts {
  std::size_t methods = 0;   // with all overloads
  std::size_t families = 0;  // of functions with several versions or names
  std::size_t lists = 0;     // with a form into the caller's memory
};

Result<void> emit_tests_page(const Writing& writing, const MethodCounts& counts, Output& output);

}  // namespace nvmlab::codegen::methods
