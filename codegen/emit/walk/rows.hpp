// SPDX-License-Identifier: Apache-2.0
// The rows of the walk: each getter with its parameters.
#pragma once

#include <string>
#include <vector>

#include "codegen/binding/plan.hpp"
#include "codegen/emit/walk/tables.hpp"

namespace nvmlab::codegen::walk {

// Whether who knows nothing else of it may call it: by its shape and name, unless a rule says otherwise.
Result<bool> is_asked(const Method& method, const Rules& rules);

struct Row {
  std::vector<std::string> parameters;  // C++: elements of an array of Parameter
  std::string about;                    // an enumerator of About
  bool late = false;
};

Result<Row> row_of(const Inputs& inputs, const Plan& plan, const Method& method, Tables& tables);

}  // namespace nvmlab::codegen::walk
