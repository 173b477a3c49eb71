// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/export_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen {
namespace {

// "&nvmlUtilization_t::gpu", "inside(&nvmlExcludedDeviceInfo_t::pciInfo, &nvmlPciInfo_t::bus)"
std::string member_text(const Release& release, const std::string& record, const std::vector<std::string>& steps) {
  if (steps.size() == 1) return fmt::format("&{}::{}", record, steps[0]);
  return fmt::format("inside(&{}::{}, &{}::{})", record, steps[0], member_type(release, record, {steps[0]}), steps[1]);
}

bool is_number(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '~');
}

// Names of C are written in capitals, fields are not.
bool is_constant(const std::string& text) {
  return is_number(text) || (!text.empty() && std::isupper(static_cast<unsigned char>(text[0])) != 0);
}

bool is_text(const FieldPath& path) {
  return path.field->type == FieldType::text || path.field->type == FieldType::bytes;
}

// Which of the functions in engine/topics/generated/derived_fields.hpp tells what gives the value of such a field.
const char* lookup_of(FieldType type) {
  if (type == FieldType::u64) return "function_of_u64";
  return type == FieldType::i32 ? "function_of_i32" : "function_of_u32";
}

}  // namespace

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps{""};
  for (const char letter : path) {
    if (letter == '.') {
      steps.emplace_back();
    } else {
      steps.back() += letter;
    }
  }
  return steps;
}

const Parameter* inner_parameter(const ExportSubject& subject, const Function& function, const std::string& name) {
  const auto& callers = subject.function.parameters;
  const auto found = std::ranges::find(callers, name, &Parameter::name);
  return found == callers.end() ? nullptr : &function.parameters[static_cast<std::size_t>(found - callers.begin())];
}

std::string input_text(const ExportSubject& subject, const Function& function, const std::string& path) {
  const auto dot = path.find('.');
  const Parameter* from = inner_parameter(subject, function, path.substr(0, dot));
  if (from == nullptr) return path;
  return dot == std::string::npos ? from->name : from->name + "->" + path.substr(dot + 1);
}

// field<&Gpu::power, &Power::draw_mw>, At<Fact<std::uint32_t>>{chosen.at[0]}, or Made<&VgpuType::fb_bytes>()
Result<std::string> PartWriter::at(const Scope& scope, const std::string& path) {
  if (scope.made) return fmt::format("Made<&{}::{}>()", scope.name, path);
  const auto found = find(scope, path);
  if (!found) return fail(subject_.verdict.function + ": " + found.error().message);
  if (!chosen_) return fmt::format("field<{}>", pointers_to(*found->topic, scope.record, path));
  const std::string owner = scope.record != nullptr ? scope.name : found->topic->of_node ? "Node" : "Gpu";
  const std::string offset = fmt::format("chosen.at[{}]", offsets_.size());
  offsets_.push_back(fmt::format("offsetof({}, {})", owner, path));
  const std::string derived =
      found->field->derived.empty() ? "" : fmt::format(", derived::{}({})", lookup_of(found->field->type), offset);
  return fmt::format("At<{}>{{{}{}}}", cpp_type(*found->topic, *found->field), offset, derived);
}

Result<std::string> PartWriter::field_source(const Scope& scope, const Binding& binding) {
  auto text = at(scope, binding.path);
  if (!text) return text;
  if (!binding.instead.empty()) {
    if (is_text(*find(scope, binding.path))) {
      text = binding.instead == "0" ? as_kind("or_empty", *text)
                                    : fmt::format("or_text({}, \"{}\")", *text, binding.instead);
    } else if (binding.instead == "0" && text->starts_with(kField)) {
      text = as_kind("or_zero", *text);
    } else if (is_constant(binding.instead)) {
      text = fmt::format("or_else<{}>({})", binding.instead, *text);
    } else {
      const auto other = at(scope, binding.instead);
      if (!other) return other;
      text = fmt::format("or_field({}, {})", *text, *other);
    }
  }
  if (!binding.times.empty()) text = fmt::format("times<{}>({})", binding.times, *text);
  if (!binding.bit.empty()) text = fmt::format("bit({}, {})", *text, input(binding.bit));
  return binding.equals.empty() ? text : fmt::format("equals<{}>({})", binding.equals, *text);
}

Result<std::string> PartWriter::rule(const Scope& scope, const Binding& binding) {
  std::vector<std::string> fields;
  for (const std::string& path : binding.fields) {
    auto text = at(scope, path);
    if (!text) return text;
    fields.push_back(std::move(*text));
  }
  if (binding.columns.empty()) return fmt::format("derived<{}>({})", binding.rule, fmt::join(fields, ", "));
  const Parameter* target = target_of(binding.target);
  if (target == nullptr) return fail(subject_.verdict.function + ": '" + binding.target + "' is not a parameter");
  std::string pieces;
  for (const Binding& each : binding.columns) {
    pieces += fmt::format(", piece<{}>(NVMLAB_RESULT({}))",
                          member_text(subject_.inputs.newest, target->type.base, steps_of(each.target)), each.path);
  }
  return fmt::format("derived_members<{}>({}, fields({}){})", binding.rule, target->name, fmt::join(fields, ", "),
                     pieces);
}

Result<std::string> PartWriter::source(const Scope& scope, const Binding& binding) {
  switch (binding.source) {
    case ValueSource::itself:
      return "itself()";
    case ValueSource::constant:
      return fmt::format("constant<{}>", binding.constant);
    case ValueSource::now_us:
      return "clock_us()";
    case ValueSource::rule:
      return rule(scope, binding);
    case ValueSource::length:
    case ValueSource::not_empty: {
      const auto list = at(scope, binding.path);
      if (!list) return list;
      if (binding.source == ValueSource::not_empty) return fmt::format("not_empty({})", *list);
      const bool plain = binding.empty.empty() || binding.empty == "NVML_SUCCESS";
      return fmt::format("length{}({})", plain ? "" : "<" + binding.empty + ">", *list);
    }
    case ValueSource::field:
    case ValueSource::items:
    case ValueSource::mask:
    case ValueSource::fill:
      break;
  }
  return field_source(scope, binding);
}

// The length parameter of a text is the one behind it.
std::string PartWriter::text_length(const std::string& name) const {
  if (subject_.verdict.text_size != 0) return std::to_string(subject_.verdict.text_size);
  const auto& parameters = function_.parameters;
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found + 1 < parameters.end() ? (found + 1)->name : "";
}

Result<std::string> PartWriter::array(const Scope& scope, const Binding& binding) {
  const auto steps = steps_of(binding.target);
  const Parameter* target = target_of(steps[0]);
  const auto list = find(scope, binding.path);
  const auto items = scope_of(*list);
  const auto where = at(scope, binding.path);
  if (!where) return where;
  const bool plain = binding.empty.empty() || binding.empty == "NVML_SUCCESS";
  std::string text =
      fmt::format("array<{}, {}{}>({}, {}",
                  member_text(subject_.inputs.newest, target->type.base, {steps.begin() + 1, steps.end()}),
                  member_text(subject_.inputs.newest, target->type.base, steps_of(binding.count)),
                  plain ? "" : ", " + binding.empty, target->name, *where);
  for (const Binding& each : binding.columns) {
    const auto from = source(*items, each);
    if (!from) return from;
    if (each.target.empty()) {
      text += fmt::format(", entry({})", *from);
      continue;
    }
    const std::string entry = member_type(subject_.inputs.newest, target->type.base, {steps.begin() + 1, steps.end()});
    text += ", " + output_call("column", fmt::format("&{}::{}", entry, each.target), {}, *from);
  }
  return text + ")";
}

// An array of numbers whose size in bytes is a parameter.
Result<std::string> PartWriter::filled(const Scope& scope, const Binding& binding) {
  const Parameter* target = target_of(binding.target);
  const auto list = find(scope, binding.path);
  const auto where = at(scope, binding.path);
  if (!where) return where;
  const auto from = source(*scope_of(*list), binding.columns.at(0));
  if (!from) return from;
  return fmt::format("filled({}, {}, {}, {}, {})", target->name, binding.count, *where, binding.rest, *from);
}

Result<std::string> PartWriter::output(const Scope& scope, const Binding& binding) {
  const auto steps = steps_of(binding.target);
  const Parameter* target = target_of(steps[0]);
  if (target == nullptr || target->type.pointers != 1)
    return fail(subject_.verdict.function + ": '" + steps[0] + "' is not an output parameter");
  if (steps.size() > 3)
    return fail(subject_.verdict.function + ": '" + binding.target + "' lies deeper than a struct in a struct");
  if (binding.source == ValueSource::items) return array(scope, binding);
  if (binding.source == ValueSource::fill) return filled(scope, binding);
  auto from = binding.source == ValueSource::mask ? at(scope, binding.path) : source(scope, binding);
  if (!from) return from;
  if (binding.source == ValueSource::rule && !binding.columns.empty()) return from;
  if (binding.source == ValueSource::mask) return fmt::format("mask({}, {}, {})", target->name, binding.count, *from);
  if (steps.size() > 1) {
    const std::string member = member_text(subject_.inputs.newest, target->type.base, {steps.begin() + 1, steps.end()});
    if (!binding.fits.empty()) return output_call("member_text", member, {target->name, binding.fits}, *from);
    return output_call("member", member, {target->name}, *from);
  }
  if (target->type.base == "char") {
    const std::string length = text_length(target->name);
    if (length.empty())
      return fail(subject_.verdict.function + ": '" + target->name + "' has no length parameter; say text_size");
    const Parameter* size = target_of(length);
    const bool sized = size != nullptr && size->type.pointers == 1;
    return output_call(sized ? "sized_text" : "text", "", {target->name, length}, *from);
  }
  const auto& optional = subject_.verdict.optional;
  const bool may_be_null = std::ranges::find(optional, steps[0]) != optional.end();
  return output_call(may_be_null ? "optional_scalar" : "scalar", "", {target->name}, *from);
}

// "by_index(fan, NVML_ERROR_NOT_SUPPORTED, NVML_ERROR_INVALID_ARGUMENT)"
Result<std::string> PartWriter::selection(const Scope& items) {
  const Selection& item = subject_.verdict.item;
  const std::string codes = codes_text(item.empty, item.missing);
  if (item.key.empty()) {
    const Parameter* by = target_of(item.by);
    if (by != nullptr && by->type.text() == "nvmlUnit_t") return fmt::format("by_handle(node, {})", item.by);
    return fmt::format("by_index{}({})", codes, input(item.by));
  }
  const auto key = at(items, item.key);
  if (!key) return key;
  std::string text = fmt::format("by_key{}({}, {})", codes, *key, input(item.value));
  if (item.visible.empty()) return text;
  const auto number = at(items, item.visible);
  if (!number) return number;
  return fmt::format("visible({}, {}, simulated_driver().{})", text, *number, item.limit);
}

Result<std::vector<std::string>> PartWriter::outputs() {
  std::vector<std::string> parts;
  Scope scope = scope_of_subject(subject_);
  std::string head;
  std::string tail = ")";
  if (!case_.list.empty()) {
    const auto list = find_field(subject_.vocabulary, case_.list);
    scope = *scope_of(*list);
    const auto where = at({}, case_.list);
    if (!where) return std::unexpected(where.error());
    const auto select = selection(scope);
    if (!select) return std::unexpected(select.error());
    if (!case_.any.empty()) {
      const auto field = at(scope, case_.any);
      if (!field) return std::unexpected(field.error());
      parts.push_back(fmt::format("any_item({}, {})", *where, *field));
    }
    head = fmt::format("item({}, {}", *where, *select);
    const Selection& selected = subject_.verdict.item;
    if (!selected.inner.empty()) {
      const auto inner = at(scope, selected.inner);
      if (!inner) return std::unexpected(inner.error());
      head += fmt::format(", item({}, by_index{}({})", *inner, codes_text("NVML_ERROR_NOT_SUPPORTED", selected.missing),
                          input(selected.inner_at));
      tail = "))";
      scope = *scope_of(*find(scope, selected.inner));
    }
  }
  for (const Binding& binding : case_.bindings) {
    auto text = output(scope, binding);
    if (!text) return std::unexpected(text.error());
    if (head.empty()) {
      parts.push_back(std::move(*text));
    } else {
      head += ", " + *text;
    }
  }
  if (!head.empty()) parts.push_back(head + tail);
  return parts;
}

}  // namespace nvmlab::codegen
