// SPDX-License-Identifier: Apache-2.0
// What the trace of the simulated driver knows of parameters and structs: one short text for each function and struct,
// which drivers/nvml/trace.cpp reads where a trace is asked for. Covered by tests/drivers/functions/trace_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "codegen/meaning/verdicts.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

std::string trace_types_source(const Inputs& inputs, const Verdicts& verdicts,
                               const std::vector<std::string>& functions);

}  // namespace nvmlab::codegen
