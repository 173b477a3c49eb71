// SPDX-License-Identifier: Apache-2.0
// Emitter of binding/nvmlab/nvml/generated/{field,gpm}_types.hpp and their units: what each field and metric is.
#pragma once

#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_id_types(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
