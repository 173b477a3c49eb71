// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/abi.hpp"
#include "codegen/model/layouts.hpp"
#include "codegen/model/version.hpp"

namespace nvmlab::codegen::methods {
namespace {

// The next newer function of the family; null: this one is the newest.
const Method* successor(const Plan& plan, const Method& method) {
  const Method* next = nullptr;
  for (const Method& other : plan.methods) {
    const bool newer = other.family == method.family && other.version > method.version;
    if (newer && (next == nullptr || other.version < next->version)) next = &other;
  }
  return next;
}

// The last release in which nothing newer was there; the oldest known one if both came before it.
std::string last_of_its_time(const Registry& registry, const Method& method, const Method& next) {
  const std::string& until = registry.functions.at(next.function->name).front().since;
  const std::string& since = registry.functions.at(method.function->name).front().since;
  const std::vector<std::string> versions = registry.versions();
  const auto at = std::ranges::find(versions, until);
  if (at == versions.begin() || compare_versions(*(at - 1), since) < 0) return since;
  return *(at - 1);
}

}  // namespace

std::string layout_of(const Inputs& inputs, const Plan& plan, const Method& method, const MethodParameter& parameter) {
  const std::string& today = parameter.record == nullptr ? parameter.c.type.base : parameter.record->name;
  const Method* next = successor(plan, method);
  if (next == nullptr || parameter.record == nullptr) return today;
  const std::string release = last_of_its_time(inputs.registry, method, *next);
  const auto then = view(inputs.registry, release);
  if (!then) return today;
  const Function* function = find(then->functions, method.function->name);
  if (function == nullptr) return today;
  const auto same = std::ranges::find(function->parameters, parameter.c.name, &Parameter::name);
  if (same == function->parameters.end()) return today;
  const Record* record = resolve_record(*then, same->type.base);
  if (record == nullptr || !laid_out_differently(*record, *parameter.record)) return today;
  const auto views = all_views(inputs.registry);
  if (!views) return today;
  const auto replaced = replaced_layouts(*views);
  const ReplacedLayout* layout = layout_at(replaced, same->type.base, release);
  return layout == nullptr
             ? same->type.base
             : fmt::format("historic::{}_before_{}", layout->name, abi::identifier_of(layout->replaced_in));
}

}  // namespace nvmlab::codegen::methods
