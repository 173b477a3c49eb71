// SPDX-License-Identifier: Apache-2.0
// The plan of the binding: for every function of the newest header the class, the name and the shape of its method,
// from the facts and the rows. Emitters write what it says (codegen/emit/nvml/).
// Covered by tests/unit/codegen/binding_plan_test.cpp.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/binding/rows.hpp"
#include "codegen/binding/shape.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// One C function as a method.
struct Method {
  const Function* function = nullptr;
  const FunctionRow* row = nullptr;  // null: there is none yet
  std::string family;                // nvmlDeviceGetFanSpeed: without version suffix and trailing V, or as its row says
  unsigned version = 1;              // _vN; a trailing V comes after the plain name
  std::string suffix;                // of this one's own name: "", "_v2"
  std::string formerly;              // the C function that it was before it was renamed, which old libraries have
  std::string class_name;            // Device; Library where there is no receiver
  std::string name;                  // of the family's method, fan_speed; of this one alone: name + suffix
  Shape shape{};
  std::vector<MethodParameter> parameters;  // as in C, with the receiver

  // The parameters with a role, in their order.
  std::vector<const MethodParameter*> with(Role role) const;
  const MethodParameter* receiver() const;
};

// All versions of one thing: their methods share class and name. Most have one member.
struct Family {
  std::string base;                    // nvmlDeviceGetFanSpeed
  std::vector<const Method*> members;  // newest first
};

struct Plan {
  FunctionRows rows;
  std::vector<Method> methods;  // by C name

  const Method* find(std::string_view function) const;
  std::vector<Family> families() const;  // by class, then by base
};

Result<Plan> load_plan(const Inputs& inputs);

// The plan with the names that functions had before: of those whose verdict says that they are the same under another
// name. `others` is by function.
void add_former_names(Plan& plan, const std::map<std::string, std::string, std::less<>>& others);

// The plan of any release with any rows: a function that fits no shape is an error that says what to do.
Result<Plan> make_plan(const Release& release, FunctionRows rows);

}  // namespace nvmlab::codegen
