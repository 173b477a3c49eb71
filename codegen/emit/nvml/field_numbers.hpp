// SPDX-License-Identifier: Apache-2.0
// The table by which the binding finds a driver's number of a field. Covered by tests/binding/field_values_test.cpp.
#pragma once

#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_field_numbers(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
