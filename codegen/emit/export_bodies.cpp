// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/export_bodies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "codegen/emit/export_changes.hpp"
#include "codegen/emit/export_parts.hpp"
#include "codegen/emit/export_reads.hpp"
#include "codegen/emit/export_subject.hpp"
#include "codegen/emit/fit.hpp"

namespace nvmlab::codegen {
namespace {

bool known_type(const Inputs& inputs, const std::string& base) {
  const Release& release = inputs.newest;
  return !base.starts_with("nvml") || find(release.records, base) || find(release.enums, base) ||
         find(release.typedefs, base) || find(release.handles, base);
}

std::string parameter_list(const Function& function, bool names) {
  std::string text;
  for (const Parameter& parameter : function.parameters) {
    if (!text.empty()) text += ", ";
    text += parameter.type.text();
    if (names) text += " " + parameter.name;
  }
  return text;
}

std::string at(const ExportSubject& subject, const std::string& path) {
  const auto found = find_field(subject.vocabulary, path);
  return fmt::format("At<{}>{{offsetof({}, {}){}}}", cpp_type(*found->topic, *found->field),
                     found->topic->of_node ? "Node" : "Gpu", path,
                     found->field->derived.empty() ? "" : ", derived::" + found->field->derived);
}

Result<std::string> write_body(const ExportSubject& subject) {
  const Verdict& verdict = subject.verdict;
  if (verdict.bindings.size() != 1)
    return fail(verdict.function + ": a write goes to one field; write a `call` for more");
  const std::string call = fmt::format("return finish<f>(call, write<f>({}, static_cast<std::uint32_t>({}), {}u, {}));",
                                       subject.function.parameters[0].name, verdict.bindings[0].target, verdict.highest,
                                       at(subject, verdict.bindings[0].path));
  return fmt::format("  {}\n", fit(call, 2));
}

// A call of the hook. It sees one layout of each struct, the newest; callers may have another.
Result<std::string> hook_call(const ExportSubject& subject, const std::string& receiver) {
  Function inner = subject.function;
  const auto layouts = newest_layout(subject, inner);
  if (!layouts) return std::unexpected(layouts.error());
  std::string call = fmt::format("hooks::{}({}{})", inner.name, receiver, hook_arguments(inner, receiver == "gpu"));
  if (layouts->open.empty()) return call;
  return fmt::format("{} return {}; {}", layouts->open, call, layouts->close);
}

Result<std::string> call_body(const ExportSubject& subject) {
  const Function& function = subject.function;
  if (subject.verdict.before_init) {
    const std::string arguments = hook_arguments(function, false);
    const std::string body = fmt::format("hooks::{}({})", function.name, arguments.empty() ? "" : arguments.substr(2));
    if (function.returns.text() != "nvmlReturn_t") return fmt::format("  return {};\n", body);
    return fmt::format("  return finish<f>(call, {});\n", body);
  }
  const bool device = takes_device(function);
  auto body = hook_call(subject, device ? "gpu" : "node");
  if (!body) return body;
  if (device) {
    return fmt::format(
        "  {}\n",
        fit(fmt::format("return finish<f>(call, call_device<f>({}, [&](const Device& gpu) {{ return {}; }}{}));",
                        function.parameters[0].name, *body, checked_pointers(subject)),
            2));
  }
  return fmt::format(
      "  {}\n", fit(fmt::format("return finish<f>(call, call_node<f>([&](Store& node) {{ return {}; }}{}));", *body,
                                checked_pointers(subject)),
                    2));
}

Result<std::string> unsupported_body(const ExportSubject& subject) {
  const std::string required = checked_pointers(subject);
  if (!subject.verdict.supported_by.empty()) {
    const auto gates = gates_before(subject);
    if (!gates) return std::unexpected(gates.error());
    const std::string call =
        fmt::format("return answer(gpu.slot, {}, known({}));", fmt::join(*gates, ", "), subject.verdict.answer);
    return fmt::format(
        "  const auto asked = [&](const Device& gpu) {{\n    {}\n  }};\n  return finish<f>(call, call_device<f>({}, "
        "asked{}));\n",
        fit(call, 4), subject.function.parameters[0].name, required);
  }
  if (subject.verdict.subject.given()) return refusal_of_subject(subject);
  if (takes_device(subject.function)) {
    return fmt::format("  {}\n", fit(fmt::format("return finish<f>(call, refuse_device<f>({}, {}{}));",
                                                 subject.function.parameters[0].name, subject.verdict.answer, required),
                                     2));
  }
  return fmt::format(
      "  {}\n", fit(fmt::format("return finish<f>(call, refuse_node<f>({}{}));", subject.verdict.answer, required), 2));
}

bool has_word(const std::string& text, const std::string& word) {
  const auto part_of_name = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !part_of_name(at - 1)) && !part_of_name(at + word.size())) return true;
  }
  return false;
}

// Parameters that a body does not use would be warnings.
std::string silence(const Function& function, const std::string& body) {
  std::string text;
  for (const Parameter& each : function.parameters) {
    if (!has_word(body, each.name)) text += fmt::format("  (void){};\n", each.name);
  }
  return text;
}

std::string entry_text(const Function& function, const std::string& constants, const std::string& body) {
  const std::string own = body.find("<f>") == std::string::npos
                              ? ""
                              : fmt::format("  constexpr Function f = Function::{};\n", function.name);
  const std::string head =
      fmt::format("NVMLAB_EXPORT {} {}({})", function.returns.text(), function.name, parameter_list(function, true));
  if (has_word(body, "call")) {  // the trace takes every parameter
    const std::string arguments = hook_arguments(function, false);
    const std::string call =
        fit(fmt::format("const auto call = traceable({});", arguments.empty() ? "" : arguments.substr(2)), 2);
    return fmt::format("{} {{\n{}  {}\n{}{}}}\n\n", fit(head, 0), own, call, constants, body);
  }
  return fmt::format("{} {{\n{}{}{}{}}}\n\n", fit(head, 0), own, constants, silence(function, body), body);
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
static Result<std::string> as_parameters_of(const Function& target, const Verdict& own, Function& function) {
  std::string constants;
  Function without = target;
  for (const auto& [name, value] : own.constants) {
    const auto found = std::ranges::find(without.parameters, name, &Parameter::name);
    if (found == without.parameters.end()) return fail(own.function + ": " + target.name + " has no parameter " + name);
    constants += fmt::format("  constexpr {} {} = {};\n", found->type.text(), name, value);
    without.parameters.erase(found);
  }
  if (without.parameters.size() != function.parameters.size())
    return fail(function.name + " cannot be the same as " + target.name + ": their parameters differ");
  for (std::size_t i = 0; i < without.parameters.size(); ++i) {
    Parameter& mine = function.parameters[i];
    const Parameter& other = without.parameters[i];
    mine.name = other.name;
    if (mine.type == other.type) continue;
    // A struct that only an old header has, under another name.
    if (mine.type.text() != "void*" || other.type.pointers != 1)
      return fail(function.name + " cannot be the same as " + target.name + ": their parameters differ");
    mine.name = "untyped_" + other.name;
    constants += fmt::format("  auto* const {} = static_cast<{}>({});\n", other.name, other.type.text(), mine.name);
  }
  return constants;
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
    case VerdictKind::call: {
      const std::string name = std::exchange(subject.function.name, subject.verdict.function);
      auto body = call_body(subject);
      subject.function.name = name;
      return body;
    }
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
  ExportSubject subject{inputs, vocabulary, verdict, declaration(inputs, verdict, name), own.layout};
  std::string constants;
  if (verdict.function != name) {  // bindings name the parameters of the other function
    const Function target = declaration(inputs, verdict, verdict.function);
    auto text = as_parameters_of(target, own, subject.function);
    if (!text) return text;
    constants = std::move(*text);
    ExportSubject whole = subject;
    whole.function = target;
    whole.function.name = name;
    const auto body = body_of(whole);
    if (!body) return body;
    return entry_text(subject.function, constants, *body);
  }
  const auto body = body_of(subject);
  if (!body) return body;
  return entry_text(subject.function, constants, *body);
}

}  // namespace nvmlab::codegen
