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
  }
  if (!several) return;
  for (const Piece& piece : all.front())
    add_one(*family.members.front(), family.members.front()->name, piece, of_family);
}

void MethodFunctions::add_one(const Method& method, const std::string& name, const Piece& piece,
                              const std::vector<std::string>& behind) {
  if (piece.result.starts_with("std::span<")) return;  // into the caller's memory
  const std::string pointer = pointer_to(method, name, piece);
  traits_ +=
      fmt::format("template <>\nstruct FunctionsOf<{}> {{\n  using type = Behind<{}>;\n}};\n", pointer, joined(behind));
  visits_ += fmt::format("  visit.template operator()<{}>(\"{}::{}\", {});\n", pointer, method.class_name, name,
                         behind.size());
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
}

}  // namespace nvmlab::codegen::methods
