// SPDX-License-Identifier: Apache-2.0
// Emitter of the calls that tests/binding/all_methods/ makes.
#pragma once

#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/io/output.hpp"

namespace nvmlab::codegen {
namespace methods {

// One call that the test makes.
struct MethodCall {
  std::string function;
  std::string method;  // "Device::name"
  std::string kind;    // an enumerator of the test's: command, value, by_hand
  std::string text;
};

// docs/reference/generated/binding-coverage.md: by which methods each function is called, and what of it is compared.
void emit_method_coverage(const Plan& plan, const std::vector<MethodCall>& calls, Output& output);

// docs/reference/generated/binding-names.md: methods by subject, with their names elsewhere.
std::expected<void, Error> emit_names_page(const Inputs& inputs, const Plan& plan, Output& output);

}  // namespace methods

std::expected<void, Error> emit_method_calls(const methods::Writing& writing, Output& output);

}  // namespace nvmlab::codegen
