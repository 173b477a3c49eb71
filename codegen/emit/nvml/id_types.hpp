// SPDX-License-Identifier: Apache-2.0
// Emitter of binding/nvmlab/nvml/generated/{field,gpm}_types.hpp and their units: what each field and metric is.
#pragma once

#include "codegen/emit/emitters.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_id_types(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
