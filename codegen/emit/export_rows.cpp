// SPDX-License-Identifier: Apache-2.0
// The parts of a list.
#include <fmt/format.h>

#include "codegen/emit/export_parts.hpp"

namespace nvmlab::codegen {

// An output of a list: "addresses" takes a value for each item, "infos.pid" a member of each entry, and
// "list.entries.pid" one of each entry of an array that a struct points to.
Result<std::string> PartWriter::row(const Scope& scope, const Binding& binding) {
  const auto steps = steps_of(binding.target);
  const Parameter* target = target_of(steps[0]);
  if (target == nullptr || target->type.pointers != 1)
    return fail(subject_.verdict.function + ": '" + steps[0] + "' is not an output parameter");
  const auto from = source(scope, binding);
  if (!from) return from;
  if (!subject_.verdict.entry_layout.empty())
    return fmt::format("row_put<historic::{}>(other, {}, NVMLAB_MEMBER({}), {})", subject_.verdict.entry_layout,
                       target->name, steps.back(), *from);
  if (steps.size() == 1) return output_call("row_value", "", {target->name}, *from);
  const std::string array = steps.size() == 2 ? target->name : fmt::format("{}->{}", target->name, steps[1]);
  const std::string entry =
      steps.size() == 2 ? target->type.base : member_type(subject_.inputs.newest, target->type.base, {steps[1]});
  return output_call("row_member", fmt::format("&{}::{}", entry, steps.back()), {array}, *from);
}

Result<std::vector<std::string>> PartWriter::list_parts() {
  const Verdict& verdict = subject_.verdict;
  const auto list = find_field(subject_.vocabulary, case_.list);
  Scope scope = *scope_of(*list);
  auto where = at({}, case_.list);
  if (!where) return std::unexpected(where.error());
  std::string rows = fmt::format("whole({})", *where);
  if (!verdict.item.inner.empty()) {
    const auto select = selection(scope);
    if (!select) return std::unexpected(select.error());
    const auto inner = at(scope, verdict.item.inner);
    if (!inner) return std::unexpected(inner.error());
    rows = fmt::format("within({}, {}, {})", *where, *select, *inner);
    scope = *scope_of(*find(scope, verdict.item.inner));
  }
  std::string filter = "Every{}";
  if (!verdict.mask_field.empty()) {
    const auto field = at(scope, verdict.mask_field);
    if (!field) return std::unexpected(field.error());
    filter = fmt::format("WithBits{{{}, {}}}", *field, verdict.mask_bits);
  }
  if (!verdict.where_field.empty()) {
    const auto field = at(scope, verdict.where_field);
    if (!field) return std::unexpected(field.error());
    const Parameter* value = target_of(verdict.where_value);
    const bool device = value != nullptr && value->type.text() == "nvmlDevice_t";
    filter = fmt::format("WithValue{{{}, {}}}", *field, device ? "gpu.index" : input(verdict.where_value));
  }
  if (!verdict.newer_than.empty()) filter = fmt::format("newer_than({})", input(verdict.newer_than));
  const std::string count = is_member(verdict.count) ? "&" + input(verdict.count) : verdict.count;
  std::vector<std::string> parts{rows, filter, verdict.empty, count};
  for (const Binding& binding : case_.bindings) {
    auto text = row(scope, binding);
    if (!text) return std::unexpected(text.error());
    parts.push_back(std::move(*text));
  }
  return parts;
}

}  // namespace nvmlab::codegen
