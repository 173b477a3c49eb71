// SPDX-License-Identifier: Apache-2.0
// Emitter of the calls that tests/binding/all_methods/ makes.
#pragma once

#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_method_calls(const methods::Writing& writing, Output& output);

}  // namespace nvmlab::codegen
