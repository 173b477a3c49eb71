// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// The page of PTX's forms, of model/ptx/.
std::expected<void, Error> emit_ptx(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
