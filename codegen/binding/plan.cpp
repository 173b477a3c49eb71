// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "codegen/binding/names.hpp"
#include "codegen/model/family.hpp"

namespace nvmlab::codegen {
namespace {

struct Receiver {
  std::string_view c_type;
  std::string_view class_name;
};
constexpr std::array<Receiver, 9> kReceivers{{
    {"nvmlDevice_t", "Device"},
    {"nvmlUnit_t", "Unit"},
    {"nvmlEventSet_t", "EventSet"},
    {"nvmlSystemEventSet_t", "SystemEventSet"},
    {"nvmlGpmSample_t", "GpmSample"},
    {"nvmlGpuInstance_t", "GpuInstance"},
    {"nvmlComputeInstance_t", "ComputeInstance"},
    {"nvmlVgpuTypeId_t", "VgpuType"},
    {"nvmlVgpuInstance_t", "VgpuInstance"},
}};

// The object that a method belongs to is the first handle given by value, if it stands first.
std::string class_of(const Function& function, const FunctionRow* row) {
  if (row != nullptr && !row->on.empty()) return row->on;
  if (function.parameters.empty() || function.parameters.front().type.pointers > 0) return "Library";
  const auto found = std::ranges::find(kReceivers, function.parameters.front().type.base, &Receiver::c_type);
  return found == kReceivers.end() ? "Library" : std::string(found->class_name);
}

// A trailing V says nothing; what its struct is called in C does, unless that is what the plain name has: "_v3".
std::string suffix_of_v(const Method& method) {
  unsigned version = 2;
  for (const MethodParameter& parameter : method.parameters) {
    if (parameter.record == nullptr) continue;
    std::string_view name = parameter.record->name;
    if (name.ends_with("_t")) name.remove_suffix(2);
    version = std::max(version, family_of(name).version);
  }
  return fmt::format("_v{}", version);
}

Result<Method> plan_method(const Function& function, const Release& release, const FunctionRow* row) {
  auto classified = classify(function, release, row);
  if (!classified) {
    return fail(fmt::format(
        "{} fits no shape of codegen/binding/shape.hpp: give it a row with `shape: hand`, or a shape of its own",
        function.name));
  }
  Method method;
  method.function = &function;
  method.row = row;
  const VersionedName name = versioned_name(function.name);
  method.family = name.base;
  method.version = name.version;
  method.suffix = name.suffix;
  if (row != nullptr && row->family == "no") {
    method.family = function.name;
    method.suffix.clear();
  } else if (row != nullptr && !row->family.empty()) {
    method.family = versioned_name(row->family).base;
  }
  method.class_name = class_of(function, row);
  method.name = row != nullptr && !row->name.empty() ? row->name : method_name(name.base, method.class_name);
  method.shape = classified->shape;
  method.parameters = std::move(classified->parameters);
  if (method.suffix == "_v") method.suffix = suffix_of_v(method);
  const auto receiver = std::ranges::find_if(method.parameters, [&](const MethodParameter& parameter) {
    return parameter.c.type.pointers == 0 && std::ranges::any_of(kReceivers, [&](const Receiver& each) {
             return each.class_name == method.class_name && each.c_type == parameter.c.type.base;
           });
  });
  if (receiver != method.parameters.end()) receiver->role = Role::receiver;
  return method;
}

}  // namespace

std::vector<const MethodParameter*> Method::with(Role role) const {
  std::vector<const MethodParameter*> found;
  for (const MethodParameter& parameter : parameters) {
    if (parameter.role == role) found.push_back(&parameter);
  }
  return found;
}

const MethodParameter* Method::receiver() const {
  const auto found = with(Role::receiver);
  return found.empty() ? nullptr : found.front();
}

const Method* Plan::find(std::string_view function) const {
  const auto found =
      std::ranges::find_if(methods, [&](const Method& method) { return method.function->name == function; });
  return found == methods.end() ? nullptr : &*found;
}

std::vector<Family> Plan::families() const {
  std::map<std::pair<std::string, std::string>, std::vector<const Method*>> by_name;
  for (const Method& method : methods)
    by_name[{method.class_name, method.family}].push_back(&method);
  std::vector<Family> list;
  for (auto& [key, members] : by_name) {
    // A plain name and its V are both version 1; the V is the newer one.
    std::ranges::sort(members, std::ranges::greater{}, [](const Method* method) {
      return std::pair{method->version, method->suffix};
    });
    list.push_back({key.second, std::move(members)});
  }
  return list;
}

Result<Plan> make_plan(const Release& release, FunctionRows rows) {
  Plan plan;
  plan.rows = std::move(rows);
  for (const Function& function : release.functions) {
    const auto row = plan.rows.find(function.name);
    auto method = plan_method(function, release, row == plan.rows.end() ? nullptr : &row->second);
    if (!method) return std::unexpected(method.error());
    plan.methods.push_back(std::move(*method));
  }
  return plan;
}

void add_former_names(Plan& plan, const std::map<std::string, std::string, std::less<>>& others) {
  for (const auto& [old, now] : others) {
    const auto at = std::ranges::find_if(plan.methods, [&](const Method& each) { return each.function->name == now; });
    // Versions of a function are a family already.
    if (at != plan.methods.end() && versioned_name(old).base != versioned_name(now).base) at->formerly = old;
  }
}

Result<Plan> load_plan(const Inputs& inputs) {
  auto rows = load_function_rows(inputs.root / "model" / "binding" / "functions", inputs.newest);
  if (!rows) return std::unexpected(rows.error());
  return make_plan(inputs.newest, std::move(*rows));
}

}  // namespace nvmlab::codegen
