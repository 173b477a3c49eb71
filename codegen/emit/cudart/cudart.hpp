// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// All of libcudart: exports, symbol versions, error texts, the page.
std::expected<void, Error> emit_cudart(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
