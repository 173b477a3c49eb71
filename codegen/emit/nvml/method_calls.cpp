// SPDX-License-Identifier: Apache-2.0
// tests/binding/generated/method_calls_N.cpp: every method of every class as a test can call it, with arguments that
// are made from their types. What the calls are compared with is in tests/binding/all_methods/.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/binding/types.hpp"
#include "codegen/emit/nvml/method_calls.hpp"
#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen {
namespace methods {
namespace {

// How much of an answer a test can hold against what the C function wrote, by the signature alone.
std::string_view kind_of(const Method& method) {
  // Of the plain names some have pointers to layouts of their time, which the type in today's header does not tell.
  if (method.function->guarded) return "unknown";
  // What goes in behind a pointer looks like what comes out.
  const bool pointer_in = std::ranges::any_of(method.parameters, [](const MethodParameter& each) {
    return each.role != Role::out && each.role != Role::text && each.c.type.pointers > 0 && !each.c.type.constant;
  });
  switch (method.shape) {
    case Shape::lifecycle:
    case Shape::command:
    case Shape::record_input:
    case Shape::versioned_input:
      return "command";
    case Shape::scalar:
    case Shape::scalars:
    case Shape::object:
    case Shape::text:
    case Shape::text_fixed:
    case Shape::record:
    case Shape::versioned_record:
      return pointer_in ? "unknown" : "value";
    default:
      return "unknown";
  }
}

// "const std::string& name" -> "std::string"
std::string argument_type(const std::string& parameter) {
  std::string type = parameter.substr(0, parameter.rfind(' '));
  if (type.starts_with("const ")) type.erase(0, 6);
  if (type.ends_with('&')) type.pop_back();
  return type;
}

// "CperCursor& cursor": written to.
bool is_place(const std::string& parameter) {
  return !parameter.starts_with("const ") && parameter.find("& ") != std::string::npos;
}

std::string call_of(const Method& method, const std::string& name, const Piece& piece, std::string_view kind) {
  std::vector<std::string> arguments;
  for (const std::string& parameter : piece.parameters)
    arguments.push_back(
        fmt::format("s.{}<{}>()", is_place(parameter) ? "place" : "argument", argument_type(parameter)));
  return fmt::format(
      "  all.push_back(entry<&Functions::{0}, Kind::{1}, {2}>(\"{0}\", \"{3}\", [](const Subjects& s) {{ return "
      "s.get<{2}>().{3}({4}); }}));\n",
      method.function->name, kind, method.class_name, name, joined(arguments));
}

}  // namespace

Result<std::vector<std::string>> method_calls(const Writing& writing) {
  std::vector<std::string> calls;
  for (const Family& family : writing.plan.families()) {
    const bool written =
        std::ranges::all_of(family.members, [](const Method* method) { return writer_of(*method) != nullptr; });
    if (!written) continue;
    std::vector<std::string> walked;  // the parameters that the family's own method takes
    for (const Method* method : family.members) {
      const auto pieces = writer_of(*method)(writing, *method);
      if (!pieces) return std::unexpected(pieces.error());
      const bool newest = method == family.members.front();
      const bool several = family.members.size() > 1;
      const std::string suffix = !several ? "" : method->suffix.empty() ? "_v1" : method->suffix;
      for (const Piece& piece : *pieces) {
        const std::string_view kind = piece.remark.empty() ? kind_of(*method) : "unknown";
        calls.push_back(call_of(*method, method->name + suffix, piece, kind));
        const std::string parameters = joined(piece.parameters);
        if (newest) walked.push_back(parameters);
        // Where this version is all that a library has.
        if (several && std::ranges::find(walked, parameters) != walked.end())
          calls.push_back(call_of(*method, method->name, piece, kind));
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
  for (std::size_t i = 0; i < files; ++i) {
    std::string lines;
    for (std::size_t at = i * in_a_file; at < std::min(calls->size(), (i + 1) * in_a_file); ++at)
      lines += (*calls)[at];
    output.add(
        fmt::format("{}method_calls_{}.cpp", folder, i),
        values::source_text("Calls of methods.", include,
                            fmt::format("namespace all_methods {{\n\nvoid add_calls_{}(Calls& all) {{\n{}}}\n\n}}  // "
                                        "namespace all_methods\n\n",
                                        i, lines)));
    declared += fmt::format("void add_calls_{}(Calls& all);\n", i);
    added += fmt::format("  add_calls_{}(all);\n", i);
  }
  output.add(
      folder + "method_calls.hpp",
      values::header_text("Every method of the binding.", include,
                          fmt::format("namespace all_methods {{\n\n{}\ninline Calls all_calls() {{\n  Calls all;\n{}  "
                                      "return all;\n}}\n\n}}  // namespace all_methods\n\n",
                                      declared, added)));
  return {};
}

}  // namespace nvmlab::codegen
