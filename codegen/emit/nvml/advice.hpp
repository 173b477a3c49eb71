// SPDX-License-Identifier: Apache-2.0
// Emitter of binding/nvmlab/loader/generated/advice.cpp.
#pragma once

#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_advice(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
