// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// All of libcuda: exports, export sets, attributes, result codes, pages.
std::expected<void, Error> emit_cuda(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
