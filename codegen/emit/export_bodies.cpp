// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/export_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "codegen/emit/presence.hpp"
#include "codegen/model/layouts.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen {
namespace {

// Everything that one export's text is made from.
struct Subject {
  const Inputs& inputs;
  const Vocabulary& vocabulary;
  const Verdict& verdict;
  Function function;   // parameters with types that the newest header knows
  std::string layout;  // of the struct behind a pointer, where callers of this name have an old one
};

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

const Parameter* parameter(const Function& function, const std::string& name) {
  const auto found = std::ranges::find(function.parameters, name, &Parameter::name);
  return found == function.parameters.end() ? nullptr : &*found;
}

// The versions that a struct's name has, oldest first: "nvmlMemory_v2_t" and "nvmlMemory_t" alike.
std::vector<const Record*> versions_of(const Inputs& inputs, const Verdict& verdict, const Parameter& parameter) {
  if (parameter.type.pointers != 1) return {};
  const Release& release = inputs.newest;
  const Record* record = resolve_record(release, parameter.type.base);
  if (record == nullptr || !record->has_version()) return {};
  const auto stem = [](const std::string& name) { return name.substr(0, name.rfind("_v")); };
  std::map<std::uint32_t, const Record*> versions;
  for (const Macro& macro : release.macros) {
    const auto version = struct_version_of(macro);
    if (!version || stem(version->record) != stem(record->name)) continue;
    if (!verdict.versions.empty() && std::ranges::find(verdict.versions, version->number) == verdict.versions.end())
      continue;
    if (const Record* layout = find(release.records, version->record)) versions[version->number] = layout;
  }
  std::vector<const Record*> records;
  records.reserve(versions.size());
  for (const auto& [number, layout] : versions)
    records.push_back(layout);
  return records;
}

std::string version_word(const Record& record) {
  return "struct_version::" + record.name.substr(4, record.name.size() - 6);
}

// ", power, known_version(info, struct_version::ClockOffset_v1)": the pointers that must not be null, with the version
// words of structs that have one.
// In which drivers each version of a struct is known to a function: those whose header has the macro. A driver that has
// the function before any header does knows the oldest version.
std::vector<std::uint64_t> known_in(const Subject& subject, const std::vector<const Record*>& versions) {
  const Inputs& inputs = subject.inputs;
  const std::uint64_t present = presence(inputs, subject.function.name);
  std::vector<std::uint64_t> masks(versions.size());
  for (std::size_t row = 0; row < inputs.releases.size(); ++row) {
    const std::uint64_t bit = present & std::uint64_t{1} << row;
    bool known = false;
    for (std::size_t i = 0; i < versions.size() && bit != 0; ++i) {
      const std::string macro = versions[i]->name.substr(0, versions[i]->name.size() - 2);
      const auto* spans = history(inputs.registry.macros, macro);
      if (spans == nullptr || at_release(*spans, inputs.releases[row].header) == nullptr) continue;
      masks[i] |= bit;
      known = true;
    }
    if (!known && !versions.empty()) masks[0] |= bit;
  }
  for (std::uint64_t& mask : masks)
    mask = mask == present ? 0 : mask;
  return masks;
}

std::string checked_pointers(const Subject& subject) {
  std::string text;
  for (const Parameter& each : subject.function.parameters) {
    const bool optional = std::ranges::find(subject.verdict.optional, each.name) != subject.verdict.optional.end();
    if (each.type.pointers == 0 || optional) continue;
    std::string words;
    const auto versions = versions_of(subject.inputs, subject.verdict, each);
    const auto drivers = known_in(subject, versions);
    for (std::size_t i = 0; i < versions.size(); ++i) {
      const std::string word = version_word(*versions[i]);
      words += drivers[i] == 0 ? ", " + word : fmt::format(", DriverWord({}, {:#x})", word, drivers[i]);
    }
    text += words.empty() ? ", " + each.name : fmt::format(", known_version({}{})", each.name, words);
  }
  for (const Parameter& each : subject.function.parameters)  // a handle, so after what it is asked
    if (each.type.text() == "nvmlVgpuInstance_t") text += fmt::format(", nonzero({})", each.name);
  return text;
}

std::string at(const Subject& subject, const std::string& path) {
  const auto found = find_field(subject.vocabulary, path);
  return fmt::format("At<{}>{{offsetof({}, {}){}}}", cpp_type(*found->topic, *found->field),
                     found->topic->of_node ? "Node" : "Gpu", path,
                     found->field->derived.empty() ? "" : ", derived::" + found->field->derived);
}

// The length parameter of a text is the one behind it.
std::string text_length(const Subject& subject, const std::string& name) {
  if (subject.verdict.text_size != 0) return std::to_string(subject.verdict.text_size);
  const auto& parameters = subject.function.parameters;
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found + 1 < parameters.end() ? (found + 1)->name : "";
}

Result<std::string> output(const Subject& subject, const Binding& binding) {
  const auto dot = binding.target.find('.');
  const std::string name = binding.target.substr(0, dot);
  const Parameter* target = parameter(subject.function, name);
  if (target == nullptr || target->type.pointers != 1) {
    return fail(subject.verdict.function + ": '" + name + "' is not an output parameter");
  }
  const std::string source = at(subject, binding.path);
  if (dot != std::string::npos) {
    return fmt::format("member({}, &{}::{}, {})", name, target->type.base, binding.target.substr(dot + 1), source);
  }
  if (target->type.base == "char") {
    const std::string length = text_length(subject, name);
    if (length.empty())
      return fail(subject.verdict.function + ": '" + name + "' has no length parameter; say text_size");
    return fmt::format("text({}, {}, {})", name, length, source);
  }
  const bool optional = std::ranges::find(subject.verdict.optional, name) != subject.verdict.optional.end();
  return fmt::format("{}({}, {})", optional ? "optional_scalar" : "scalar", name, source);
}

Result<std::string> version_check(const Subject& subject) {
  for (const Parameter& each : subject.function.parameters) {
    const auto versions = versions_of(subject.inputs, subject.verdict, each);
    if (versions.empty()) continue;
    if (versions.size() > 1)
      return fail(subject.verdict.function + ": its struct has several versions; write a `call`, or say which");
    return fmt::format(", versioned({}, {})", each.name, version_word(*versions[0]));
  }
  return std::string();
}

// A read whose field depends on an enumerator; the outputs differ in their offset alone.
Result<std::string> chosen_read(const Subject& subject) {
  const Verdict& verdict = subject.verdict;
  std::string cases;
  std::string type;
  for (const Binding& binding : verdict.bindings) {
    std::string offset = "kNoField";
    if (!binding.path.empty()) {
      const auto found = find_field(subject.vocabulary, binding.path);
      offset = fmt::format("offsetof(Gpu, {})", binding.path);
      type = cpp_type(*found->topic, *found->field);
    }
    cases += fmt::format("      {{{}, {}}},\n", binding.target, offset);
  }
  std::string target;
  for (const Parameter& each : subject.function.parameters) {
    if (each.type.pointers != 1) continue;
    target = each.type.base == "char"
                 ? fmt::format("text({}, {}, At<{}>{{offset}})", each.name, text_length(subject, each.name), type)
                 : fmt::format("scalar({}, At<{}>{{offset}})", each.name, type);
  }
  if (target.empty()) return fail(verdict.function + ": no output for its choice");
  return fmt::format(
      "  static constexpr Case cases[] = {{\n{}  }};\n"
      "  return finish<f>(read_chosen<f>({}, {}, cases, {}, [&](std::size_t offset) {{ return {}; }}));\n",
      cases, subject.function.parameters[0].name, verdict.chosen_by, verdict.otherwise, target);
}

Result<std::string> read_body(const Subject& subject) {
  if (!subject.verdict.chosen_by.empty()) return chosen_read(subject);
  auto version = version_check(subject);
  if (!version) return version;
  std::string outputs = std::move(*version);
  bool of_node = false;
  for (const Binding& binding : subject.verdict.bindings) {
    auto text = output(subject, binding);
    if (!text) return text;
    outputs += ", " + *text;
    of_node = find_field(subject.vocabulary, binding.path)->topic->of_node;
  }
  if (of_node) return fmt::format("  return finish<f>(read_node<f>({}));\n", outputs.substr(2));
  return fmt::format("  return finish<f>(read<f>({}{}));\n", subject.function.parameters[0].name, outputs);
}

Result<std::string> write_body(const Subject& subject) {
  const Verdict& verdict = subject.verdict;
  if (verdict.bindings.size() != 1)
    return fail(verdict.function + ": a write goes to one field; write a `call` for more");
  return fmt::format("  return finish<f>(write<f>({}, static_cast<std::uint32_t>({}), {}u, {}));\n",
                     subject.function.parameters[0].name, verdict.bindings[0].target, verdict.highest,
                     at(subject, verdict.bindings[0].path));
}

// A call of the hook. It sees one layout of each struct, the newest; callers may have another.
Result<std::string> hook_call(const Subject& subject, const std::string& receiver) {
  Function inner = subject.function;
  std::string head;
  std::string tail;
  for (Parameter& each : inner.parameters) {
    const std::string callers = each.name;
    const auto versions = versions_of(subject.inputs, subject.verdict, each);
    std::string layouts;
    std::string newest;
    if (versions.size() > 1) {
      for (const Record* version : versions)
        layouts = ", " + version->name + layouts;
      newest = versions.back()->name;
      head += fmt::format("in_newest_layout<{}>(", layouts.substr(2));
    } else if (subject.layout.starts_with(each.type.base + "_before_")) {
      const Record* record = resolve_record(subject.inputs.newest, each.type.base);
      if (record == nullptr) return fail(inner.name + ": " + each.type.base + " has no layout today");
      newest = record->name;
      head += fmt::format("in_old_layout<historic::{}, {}>(", subject.layout, newest);
    } else {
      continue;
    }
    each.name = "newest";
    if (!tail.empty()) return fail(inner.name + ": only one of its structs may have several layouts");
    head += fmt::format("{}, [&]({}* newest) {{ return ", callers, newest);
    tail = "; })";
  }
  if (!subject.layout.empty() && head.empty())
    return fail(inner.name + ": no parameter has the layout " + subject.layout);
  return fmt::format("{}hooks::{}({}{}){}", head, inner.name, receiver, hook_arguments(inner, receiver == "gpu"), tail);
}

Result<std::string> call_body(const Subject& subject) {
  const Function& function = subject.function;
  if (subject.verdict.before_init) {
    const std::string arguments = hook_arguments(function, false);
    const std::string body = fmt::format("hooks::{}({})", function.name, arguments.empty() ? "" : arguments.substr(2));
    if (function.returns.text() != "nvmlReturn_t") return fmt::format("  return {};\n", body);
    return fmt::format("  return finish<f>({});\n", body);
  }
  const bool device = takes_device(function);
  auto body = hook_call(subject, device ? "gpu" : "node");
  if (!body) return body;
  if (device) {
    return fmt::format("  return finish<f>(call_device<f>({}, [&](const Device& gpu) {{ return {}; }}{}));\n",
                       function.parameters[0].name, *body, checked_pointers(subject));
  }
  return fmt::format("  return finish<f>(call_node<f>([&](Store& node) {{ return {}; }}{}));\n", *body,
                     checked_pointers(subject));
}

std::string unsupported_body(const Subject& subject) {
  const std::string required = checked_pointers(subject);
  if (takes_device(subject.function)) {
    return fmt::format("  return finish<f>(refuse_device<f>({}, {}{}));\n", subject.function.parameters[0].name,
                       subject.verdict.answer, required);
  }
  return fmt::format("  return finish<f>(refuse_node<f>({}{}));\n", subject.verdict.answer, required);
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
std::string silence(const Subject& subject, const std::string& body) {
  std::string text;
  for (const Parameter& each : subject.function.parameters) {
    if (!has_word(body, each.name)) text += fmt::format("  (void){};\n", each.name);
  }
  return text;
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

Result<std::string> export_text(const Inputs& inputs, const Vocabulary& vocabulary, const Verdicts& verdicts,
                                const std::string& name) {
  const Verdict* verdict = &verdicts.at(name);
  const std::string& layout = verdict->layout;
  // Another name of the same function: the same body behind an entry of its own.
  for (int hops = 0; verdict->kind == VerdictKind::same_as && hops < 8; ++hops)
    verdict = &verdicts.at(verdict->same_as);
  Subject subject{inputs, vocabulary, *verdict, declaration(inputs, *verdict, name), layout};
  const Function target = declaration(inputs, *verdict, verdict->function);
  if (target.name != name && !target.same_signature(subject.function)) {
    return fail(name + " cannot be the same as " + target.name + ": their parameters differ");
  }
  if (target.name != name) {  // bindings name the parameters of the other function
    for (std::size_t i = 0; i < target.parameters.size(); ++i)
      subject.function.parameters[i].name = target.parameters[i].name;
  }
  Result<std::string> body;
  switch (verdict->kind) {
    case VerdictKind::read:
      body = read_body(subject);
      break;
    case VerdictKind::write:
      body = write_body(subject);
      break;
    case VerdictKind::call: {
      subject.function.name = verdict->function;
      body = call_body(subject);
      subject.function.name = name;
      break;
    }
    case VerdictKind::unsupported:
    case VerdictKind::same_as:
      body = unsupported_body(subject);
      break;
  }
  if (!body) return body;
  const std::string constant =
      body->find("<f>") == std::string::npos ? "" : fmt::format("  constexpr Function f = Function::{};\n", name);
  return fmt::format("NVMLAB_EXPORT {} {}({}) {{\n{}{}{}}}\n\n", subject.function.returns.text(), name,
                     parameter_list(subject.function, true), constant, silence(subject, *body), *body);
}

}  // namespace nvmlab::codegen
