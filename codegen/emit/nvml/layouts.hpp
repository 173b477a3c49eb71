// SPDX-License-Identifier: Apache-2.0
// Which layout of a struct a version of a function means. A name of a struct moves on with the newest version; an older
// version keeps the layout that the name had while that version was the newest.
// Covered by tests/unit/codegen/binding_layouts_test.cpp.
#pragma once

#include <string>

#include "codegen/binding/plan.hpp"

namespace nvmlab::codegen::methods {

// The name within nvml::abi: "nvmlProcessInfo_v1_t", "historic::nvmlComputeInstanceInfo_t_before_11_2_0".
std::string layout_of(const Inputs& inputs, const Plan& plan, const Method& method, const MethodParameter& parameter);

}  // namespace nvmlab::codegen::methods
