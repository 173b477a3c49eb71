// SPDX-License-Identifier: Apache-2.0
// Emitter of binding/nvmlab/nvml/generated/*_methods.{hpp,cpp} and results.hpp: one class per receiver, with a method
// for each C function. Covered by tests/unit/codegen/binding_methods_test.cpp and tests/binding/methods_*_test.cpp.
#pragma once

#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_methods(const Inputs& inputs, Output& output);
// generated/snapshot.{hpp,cpp}: all getters of a device at once.
std::expected<void, Error> emit_snapshot(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
