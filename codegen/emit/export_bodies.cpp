// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/export_bodies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "codegen/emit/export_changes.hpp"
#include "codegen/emit/export_parts.hpp"
#include "codegen/emit/export_reads.hpp"
#include "codegen/emit/export_subject.hpp"

namespace nvmlab::codegen {
namespace {

bool known_type(const Inputs& inputs, const std::string& base) {
  const Release& release = inputs.newest;
  return !base.starts_with("nvml") || find(release.records, base) || find(release.enums, base) ||
         find(release.typedefs, base) || find(release.handles, base);
}

std::string parameter_list(const Function& function) {
  std::string text;
  for (const Parameter& parameter : function.parameters)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", parameter.type.text(), parameter.name);
  return text;
}

Result<std::string> write_body(const ExportSubject& subject) {
  const Verdict& verdict = subject.verdict;
  if (verdict.bindings.size() != 1)
    return fail(verdict.function + ": a write goes to one field; write a `call` for more");
  const Binding& binding = verdict.bindings[0];
  const StateTopic& topic = *find_field(subject.vocabulary, binding.path)->topic;
  return shape_call(subject, "write", {binding.target}, ", " + pointers_to(topic, nullptr, binding.path));
}

// A call of the hook. It sees one layout of each struct, the newest; callers may have another.
Result<std::string> call_body(const ExportSubject& subject) {
  const Function& function = subject.function;
  const std::string hook = "hooks::" + subject.verdict.function;
  if (subject.verdict.before_init) {
    const std::string call = fmt::format("{}({})", hook, fmt::join(subject.arguments, ", "));
    if (function.returns.text() != "nvmlReturn_t") return fmt::format("  return {};\n", call);
    return fmt::format("  return finish<Fn::{}>(args({}), {});\n", function.name, fmt::join(subject.arguments, ", "),
                       call);
  }
  Function inner = function;
  const auto layouts = newest_layout(subject, inner);
  if (!layouts) return std::unexpected(layouts.error());
  if (layouts->open.empty() && subject.arguments.size() == function.parameters.size())
    return shape_call(subject, "call", with_checks(subject, hook));
  const bool device = takes_device(function);
  std::string call = fmt::format("return {}({}{});", hook, device ? "gpu" : "node", hook_arguments(inner, device));
  if (!layouts->open.empty()) call = fmt::format("return {} {} {};", layouts->open, call, layouts->close);
  return shape_call(subject, "call", with_checks(subject, body_lambda(subject, call)));
}

Result<std::string> unsupported_body(const ExportSubject& subject) {
  if (!subject.verdict.supported_by.empty()) {
    const auto gates = gates_before(subject);
    if (!gates) return std::unexpected(gates.error());
    const std::string call =
        fmt::format("return answer(gpu.slot, {}, known({}));", fmt::join(*gates, ", "), subject.verdict.answer);
    return shape_call(subject, "call", with_checks(subject, body_lambda(subject, call)));
  }
  if (subject.verdict.subject.given()) return refusal_of_subject(subject);
  const bool usual = subject.verdict.answer == Verdict{}.answer;
  return shape_call(subject, "refuse", checked_pointers(subject), usual ? "" : ", " + subject.verdict.answer);
}

std::string entry_text(const Function& function, const std::string& table, const std::string& body) {
  const std::string returns = function.returns.text();
  return fmt::format("{}{} {}({}) {{\n{}}}\n\n", table,
                     returns == "nvmlReturn_t" ? "NVML_API" : "NVMLAB_EXPORT " + returns, function.name,
                     parameter_list(function), body);
}

}  // namespace

Function declaration(const Inputs& inputs, const Verdict& verdict, const std::string& name) {
  Function function;
  function.parameters = verdict.parameters;
  if (const auto* spans = history(inputs.registry.functions, name)) function = newest_definition(*spans);
  function.name = name;
  if (function.returns.base.empty()) function.returns = Type{"nvmlReturn_t", false, 0};
  for (Parameter& parameter : function.parameters) {
    if (!known_type(inputs, parameter.type.base) && parameter.type.pointers > 0) parameter.type.base = "void";
  }
  return function;
}

bool takes_device(const Function& function) {
  return !function.parameters.empty() && function.parameters[0].type.text() == "nvmlDevice_t";
}

std::string hook_arguments(const Function& function, bool device) {
  std::string text;
  for (std::size_t i = device ? 1 : 0; i < function.parameters.size(); ++i)
    text += ", " + function.parameters[i].name;
  return text;
}

std::string hook_parameters(const Inputs& inputs, const Verdict& verdict, const Function& function, bool device) {
  std::string text;
  for (std::size_t i = device ? 1 : 0; i < function.parameters.size(); ++i) {
    const Parameter& each = function.parameters[i];
    const auto versions = versions_of(inputs, verdict, each);
    text += fmt::format(", {} {}", versions.size() > 1 ? versions.back()->name + "*" : each.type.text(), each.name);
  }
  return text;
}

// The parameters of the function that this one is the same as, where this one has them; the others are constants.
// Returns the lines that declare what the caller does not pass under its name.
static Result<std::string> as_parameters_of(const Function& target, const Verdict& own, Function& function,
                                            std::vector<std::string>& arguments) {
  std::string lines;
  Function without = target;
  for (const auto& [name, value] : own.constants) {
    const auto found = std::ranges::find(without.parameters, name, &Parameter::name);
    if (found == without.parameters.end()) return fail(own.function + ": " + target.name + " has no parameter " + name);
    lines += fmt::format("  constexpr {} {} = {};\n", found->type.text(), name, value);
    without.parameters.erase(found);
  }
  if (without.parameters.size() != function.parameters.size())
    return fail(function.name + " cannot be the same as " + target.name + ": their parameters differ");
  for (std::size_t i = 0; i < without.parameters.size(); ++i) {
    Parameter& mine = function.parameters[i];
    const Parameter& other = without.parameters[i];
    mine.name = other.name;
    arguments.push_back(other.name);
    if (mine.type == other.type) continue;
    // A struct that only an old header has, under another name.
    if (mine.type.text() != "void*" || other.type.pointers != 1)
      return fail(function.name + " cannot be the same as " + target.name + ": their parameters differ");
    mine.name = "untyped_" + other.name;
    lines += fmt::format("  auto* const {} = static_cast<{}>({});\n", other.name, other.type.text(), mine.name);
  }
  return lines;
}

static Result<std::string> body_of(ExportSubject& subject) {
  switch (subject.verdict.kind) {
    case VerdictKind::read:
    case VerdictKind::item:
    case VerdictKind::length:
    case VerdictKind::list:
    case VerdictKind::find:
      return reading_body(subject);
    case VerdictKind::write:
      return write_body(subject);
    case VerdictKind::change:
      return change_body(subject);
    case VerdictKind::call:
      return call_body(subject);
    case VerdictKind::unsupported:
    case VerdictKind::same_as:
      break;
  }
  return unsupported_body(subject);
}

Result<std::string> export_text(const Inputs& inputs, const Vocabulary& vocabulary, const Verdicts& verdicts,
                                const std::string& name) {
  const Verdict& own = verdicts.at(name);
  // Another name of the same function: the same body behind an entry of its own.
  const Verdict& verdict = resolved(verdicts, own);
  Function function = declaration(inputs, verdict, name);
  ExportSubject subject{inputs, vocabulary, verdict, function, own.layout};
  std::string lines;
  if (verdict.function != name) {  // bindings name the parameters of the other function
    subject.function = declaration(inputs, verdict, verdict.function);
    auto declared = as_parameters_of(subject.function, own, function, subject.arguments);
    if (!declared) return declared;
    lines = std::move(*declared);
    subject.function.name = name;
  } else {
    for (const Parameter& each : function.parameters)
      subject.arguments.push_back(each.name);
  }
  const auto body = body_of(subject);
  if (!body) return body;
  return entry_text(function, subject.table, lines + *body);
}

}  // namespace nvmlab::codegen
