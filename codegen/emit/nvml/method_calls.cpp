// SPDX-License-Identifier: Apache-2.0
// tests/binding/generated/method_calls_N.cpp: every method of every class as a test can call it, with arguments that
// are made from their types. What the calls are compared with is in tests/binding/all_methods/.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "codegen/binding/types.hpp"
#include "codegen/emit/nvml/method_calls.hpp"
#include "codegen/emit/nvml/method_lambdas.hpp"
#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen {
namespace methods {
namespace {

// "CperCursor& cursor": written to.
bool is_place(const std::string& parameter) {
  return !parameter.starts_with("const ") && parameter.find("& ") != std::string::npos;
}

// Arguments that C gets as a struct are patterns of that struct.
Result<std::string> argument(const Writing& writing, const Method& method, const std::string& parameter,
                             std::size_t place) {
  const std::string type = argument_type(parameter);
  if (is_place(parameter)) return fmt::format("s.place<{}>()", type);
  const auto inputs = method.with(Role::in);
  if (!is_by_hand(writing, method) && place < inputs.size()) {
    const auto typed = typed_of(writing, *inputs[place]);
    if (!typed) return std::unexpected(typed.error());
    const auto sole = sole_member(writing, inputs[place]->c.type);
    if (!sole) return std::unexpected(sole.error());
    if (typed->category == Category::structure && !sole->has_value())
      return fmt::format("s.structure<{}, {}>({})", type, c_element(inputs[place]->c.type), place);
  }
  return fmt::format("s.argument<{}>({})", type, place);
}

// `function` is the C function behind the method that stands in for all: the newest, an older one, one that was
// renamed.
Result<MethodCall> call_of(const Writing& writing, const Method& method, const std::string& function,
                           const std::string& name, const Piece& piece) {
  std::vector<std::string> arguments;
  for (const std::string& parameter : piece.parameters) {
    auto made = argument(writing, method, parameter, arguments.size());
    if (!made) return std::unexpected(made.error());
    arguments.push_back(std::move(*made));
  }
  const auto lambdas = lambdas_of(writing, method, piece);
  if (!lambdas) return std::unexpected(lambdas.error());
  const std::string call =
      fmt::format("[](const Subjects& s) {{ return s.get<{}>().{}({}); }}", method.class_name, name, joined(arguments));
  MethodCall made{function, method.class_name + "::" + name, "by_hand", {}};
  const std::optional<Lambdas>& all = *lambdas;
  if (!all) {
    made.text = fmt::format("  all.push_back(plain(\"{}\", \"{}\",\n      {}));\n", function, made.method, call);
    return made;
  }
  made.kind = all->command ? "command" : "value";
  made.text = fmt::format(
      "  all.push_back(checked<&Functions::{0}>(\"{0}\", \"{1}\", Kind::{2},\n      {3},\n      {4},\n      {5},\n     "
      " "
      "{6},\n      {7}));\n",
      function, made.method, made.kind, call, all->came, all->act, all->note, all->same);
  return made;
}

}  // namespace

static Result<std::vector<MethodCall>> method_calls(const Writing& writing) {
  std::vector<MethodCall> calls;
  for (const Family& family : writing.plan.families()) {
    const bool written =
        std::ranges::all_of(family.members, [&](const Method* each) { return writer_of(writing, *each) != nullptr; });
    if (!written) continue;
    std::vector<std::string> walked;  // the parameters that the family's own method takes
    for (const Method* method : family.members) {
      const auto pieces = writer_of(writing, *method)(writing, *method);
      if (!pieces) return std::unexpected(pieces.error());
      const bool newest = method == family.members.front();
      const bool several = family.members.size() > 1;
      const std::string suffix = !several ? "" : method->suffix.empty() ? "_v1" : method->suffix;
      for (const Piece& piece : *pieces) {
        auto call = call_of(writing, *method, method->function->name, method->name + suffix, piece);
        if (!call) return std::unexpected(call.error());
        calls.push_back(std::move(*call));
        if (!method->formerly.empty()) {
          auto former = call_of(writing, *method, method->formerly, method->name + suffix, piece);
          if (!former) return std::unexpected(former.error());
          calls.push_back(std::move(*former));
        }
        const std::string parameters = joined(piece.parameters);
        if (newest) walked.push_back(parameters);
        // Where this version is all that a library has.
        if (several && std::ranges::find(walked, parameters) != walked.end()) {
          auto walk = call_of(writing, *method, method->function->name, method->name, piece);
          if (!walk) return std::unexpected(walk.error());
          calls.push_back(std::move(*walk));
        }
      }
    }
  }
  return calls;
}

}  // namespace methods

std::expected<void, Error> emit_method_calls(const methods::Writing& writing, Output& output) {
  const auto calls = methods::method_calls(writing);
  if (!calls) return std::unexpected(calls.error());
  constexpr std::size_t in_a_file = 80;  // so that two of them can be compiled at once, and none takes long
  const std::size_t files = (calls->size() + in_a_file - 1) / in_a_file;
  const std::string folder = "tests/binding/generated/";
  const std::string include = "#include \"tests/binding/all_methods/check.hpp\"\n";
  std::string declared;
  std::string added;
  std::string functions;
  for (const Method& method : writing.plan.methods)
    functions += fmt::format("    \"{}\",\n", method.function->name);
  for (std::size_t i = 0; i < files; ++i) {
    std::string lines;
    for (std::size_t at = i * in_a_file; at < std::min(calls->size(), (i + 1) * in_a_file); ++at)
      lines += (*calls)[at].text;
    output.add(
        fmt::format("{}method_calls_{}.cpp", folder, i),
        values::source_text("Calls of methods.", include,
                            fmt::format("namespace all_methods {{\n\nvoid add_calls_{}(Calls& all) {{\n{}}}\n\n}}  // "
                                        "namespace all_methods\n\n",
                                        i, lines),
                            values::kTestSpace));
    declared += fmt::format("void add_calls_{}(Calls& all);\n", i);
    added += fmt::format("  add_calls_{}(all);\n", i);
  }
  output.add(folder + "method_calls.hpp",
             values::header_text(
                 "Every method of the binding.", include,
                 fmt::format("namespace all_methods {{\n\n// Of the newest header.\ninline constexpr const char* "
                             "kFunctions[] = {{\n{}}};\n\n{}\ninline Calls all_calls() {{\n  Calls all;\n{}  "
                             "return all;\n}}\n\n}}  // namespace all_methods\n\n",
                             functions, declared, added),
                 values::kTestSpace));
  methods::emit_method_coverage(writing.plan, *calls, output);
  return methods::emit_names_page(writing.inputs, writing.plan, output);
}

}  // namespace nvmlab::codegen
