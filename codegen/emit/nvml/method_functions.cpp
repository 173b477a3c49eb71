// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/method_functions.hpp"

#include <fmt/format.h>

#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen::methods {
namespace {

// "static_cast<Result<Memory> (DeviceMethods::*)() const>(&DeviceMethods::memory_info)"
std::string pointer_to(const Method& method, const std::string& name, const Piece& piece) {
  std::vector<std::string> types;
  for (const std::string& parameter : piece.parameters)
    types.push_back(parameter.substr(0, parameter.rfind(' ')));
  return fmt::format("static_cast<Result<{0}> ({1}Methods::*)({2}) const>(&{1}Methods::{3})", piece.result,
                     method.class_name, joined(types), name);
}

}  // namespace

void MethodFunctions::add(const Family& family, const std::vector<Pieces>& all) {
  std::vector<std::string> of_family;
  const bool several = family.members.size() > 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Method& method = *family.members[i];
    std::vector<std::string> own{"&Functions::" + method.function->name};
    if (!method.formerly.empty()) own.push_back("&Functions::" + method.formerly);
    of_family.insert(of_family.end(), own.begin(), own.end());
    const std::string suffix = !several ? "" : method.suffix.empty() ? "_v1" : method.suffix;
    for (const Piece& piece : all[i])
      add_one(method, method.name + suffix, piece, own);
    add_forms(method, method.name + suffix, all[i], own.size());
  }
  if (!several) return;
  for (const Piece& piece : all.front())
    add_one(*family.members.front(), family.members.front()->name, piece, of_family);
  add_forms(*family.members.front(), family.members.front()->name, all.front(), of_family.size());
}

// A list and its form into the caller's memory stand beside each other.
void MethodFunctions::add_forms(const Method& method, const std::string& name, const Pieces& pieces,
                                std::size_t functions) {
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (!pieces[i].lent) continue;
    forms_ +=
        fmt::format("  visit.template operator()<{0}, {1}, {2}>(\"{0}::{3}\", {4});\n", method.class_name,
                    pointer_to(method, name, pieces[i - 1]), pointer_to(method, name, pieces[i]), name, functions);
  }
}

void MethodFunctions::add_one(const Method& method, const std::string& name, const Piece& piece,
                              const std::vector<std::string>& behind) {
  signatures_ += fmt::format("    {{\"{}::{}\", \"{}\", \"{}\"}},\n", method.class_name, name, piece.result,
                             joined(piece.parameters));
  if (piece.lent) return;  // what answers the list answers it
  const std::string pointer = pointer_to(method, name, piece);
  traits_ +=
      fmt::format("template <>\nstruct FunctionsOf<{}> {{\n  using type = Behind<{}>;\n}};\n", pointer, joined(behind));
  visits_ += fmt::format("  visit.template operator()<{}>(\"{}::{}\", {});\n", pointer, method.class_name, name,
                         behind.size());
}

// Methods, and members of the structs that they take and answer.
Result<void> MethodFunctions::emit_signatures(const BindingTypes& types, Output& output) const {
  std::string members;
  for (const TypedStruct& each : types.structs()) {
    if (!each.shape.empty()) continue;
    const auto all = members_of(types, each);
    if (!all) return std::unexpected(all.error());
    for (const TypedMember& member : *all)
      members += fmt::format("    {{\"{}::{}\", \"{}\"}},\n", each.name, member.name, member.type());
  }
  output.add("tests/binding/generated/signatures.hpp",
             values::header_text("What each method takes and answers, and what each member of a struct is.", "",
                                 "struct Signature {\n  const char* method;\n  const char* result;\n  const char* "
                                 "parameters;\n};\ninline constexpr Signature kSignatures[] = {\n" +
                                     signatures_ +
                                     "};\n\nstruct Member {\n  const char* name;\n  const char* type;\n};\ninline "
                                     "constexpr Member kMembers[] = {\n" +
                                     members + "};\n\n",
                                 values::kTestSpace));
  return {};
}

void MethodFunctions::emit(const BindingTypes& types, Output& output) const {
  std::string includes = "#include \"nvmlab/nvml/fake_route.hpp\"\n";
  for (const std::string& topic : values::topics_of(types))
    includes += fmt::format("#include \"nvmlab/nvml/generated/convert_{}.hpp\"\n", topic);
  includes +=
      "#include \"nvmlab/nvml/library.hpp\"\n#include \"nvmlab/nvml/objects.hpp\"\n\n"
      "#include \"nvmlab/loader/generated/nvml_h_macros_off.hpp\"\n";
  output.add(std::string(values::kFolder) + "method_functions.hpp",
             values::header_text("The C functions behind each method: all versions and former names, newest first.",
                                 includes, "namespace detail {\n\n" + traits_ + "\n}  // namespace detail\n\n") +
                 "\n#include \"nvmlab/loader/generated/nvml_h_macros_on.hpp\"\n");
  output.add(
      "tests/binding/generated/fake_methods.hpp",
      values::header_text("All methods that a fake can be asked to answer.", "#include \"nvmlab/nvml/fake.hpp\"\n",
                          "template <class Visit>\nvoid for_each_method(Visit&& visit) {\n" + visits_ + "}\n\n",
                          values::kTestSpace));
  output.add("tests/binding/generated/list_forms.hpp",
             values::header_text("All methods that answer a list, each with its form into the caller's memory.",
                                 "#include \"nvmlab/nvml.hpp\"\n",
                                 "template <class Visit>\nvoid for_each_list(Visit&& visit) {\n" + forms_ + "}\n\n",
                                 values::kTestSpace));
}

}  // namespace nvmlab::codegen::methods
