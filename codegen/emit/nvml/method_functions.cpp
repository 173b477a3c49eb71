// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/method_functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/nvml/keys.hpp"
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

// What only a struct of the caller's tells: its members that are arguments, and the answer's.
Result<std::string> keyed_way(const Writing& writing, const Method& method) {
  const MethodParameter& holder = *method.with(Role::inout).front();
  const auto keys = keys_of(writing, method);
  if (!keys) return std::unexpected(keys.error());
  const std::string c = "abi::" + holder.record->name;
  std::string own = "nullptr";
  std::string members;
  for (const Key& key : keys->all) {
    const std::string member = fmt::format("&{}::{}", c, key.member);
    if (key.declared.empty()) {
      own = member;
    } else {
      members += ", " + member;
    }
  }
  std::vector<std::string> answers;
  std::string count;
  std::string array;
  for (const Field& field : holder.record->fields) {
    if (field.name == "version" || field.name.starts_with("reserved") || keys->has(field.name)) continue;
    answers.push_back(field.name);
    (field.type.pointers == 1 ? array : count) = field.name;
  }
  const bool list = method.shape == Shape::embedded_list;
  const std::string answer = list                  ? fmt::format("Within<&{0}::{1}, &{0}::{2}>", c, count, array)
                             : answers.size() == 1 ? fmt::format("Only<&{}::{}>", c, answers.front())
                                                   : "Whole";
  const auto at = static_cast<std::size_t>(&holder - method.parameters.data());
  return fmt::format("Keyed<{}, {}, {}, {}{}>", at, c, own, answer, members);
}

// The object, the arguments, the count of a list, and what else is written.
std::string order_of(const Method& method) {
  const auto rank = [](const MethodParameter& each) {
    switch (each.role) {
      case Role::receiver:
        return 0;
      case Role::in:
        return 1;
      case Role::count:
        return 2;
      default:
        return 3;
    }
  };
  std::vector<std::size_t> order(method.parameters.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rank(method.parameters[i]); });
  if (std::ranges::is_sorted(order)) return {};
  return fmt::format("Ordered<{}>", fmt::join(order, ", "));
}

// Where the struct that is answered is not the one that today's header declares, or one of several.
std::string layouts_of(const Writing& writing, const Method& method) {
  const bool record = method.shape == Shape::record || method.shape == Shape::versioned_record;
  if (!record || method.with(Role::out).size() != 1) return {};
  const std::vector<std::string> layouts = record_layouts(writing, method);
  if (layouts.size() == 1 && !layouts.front().starts_with("abi::historic::")) return {};
  return fmt::format("LaidOut<{}>", joined(layouts));
}

// How the function takes what the method is given; empty: in the method's order.
Result<std::string> way_of(const Writing& writing, const Method& method) {
  if (method.shape == Shape::hand || is_by_hand(writing, method)) return std::string{};
  if (!method.with(Role::inout).empty()) return keyed_way(writing, method);
  const std::string order = order_of(method);
  const std::string laid_out = layouts_of(writing, method);
  if (!order.empty() && !laid_out.empty())
    return fail(fmt::format("{}: a fake cannot both reorder parameters and choose a layout", method.function->name));
  return order + laid_out;
}

}  // namespace

Result<void> MethodFunctions::add_ways(const Writing& writing, const Method& method) {
  const auto way = way_of(writing, method);
  if (!way) return std::unexpected(way.error());
  const std::string protocol = method.row == nullptr ? "" : method.row->protocol;
  for (const std::string& function : {method.function->name, method.formerly}) {
    if (function.empty()) continue;
    if (!way->empty())
      ways_ += fmt::format("template <>\nstruct WayOf<&Functions::{}> {{\n  using type = {};\n}};\n", function, *way);
    if (!protocol.empty() && protocol != "A")
      ways_ += fmt::format("template <>\ninline constexpr Protocol kProtocolOf<&Functions::{}> = Protocol::{};\n",
                           function, protocol);
  }
  return {};
}

void MethodFunctions::add(const Family& family, const std::vector<Pieces>& all) {
  const bool renamed = std::ranges::any_of(family.members, [](const Method* each) { return !each->formerly.empty(); });
  if (!all.front().empty() && (family.members.size() > 1 || renamed)) ++counts_.families;
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
    ++counts_.lists;
    forms_ +=
        fmt::format("  visit.template operator()<{0}, {1}, {2}>(\"{0}::{3}\", {4});\n", method.class_name,
                    pointer_to(method, name, pieces[i - 1]), pointer_to(method, name, pieces[i]), name, functions);
  }
}

void MethodFunctions::add_one(const Method& method, const std::string& name, const Piece& piece,
                              const std::vector<std::string>& behind) {
  ++counts_.methods;
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
  output.add(
      std::string(values::kFolder) + "method_functions.hpp",
      values::header_text("The C functions behind each method: all versions and former names, newest first.", includes,
                          "namespace detail {\n\n" + ways_ + traits_ + "\n}  // namespace detail\n\n") +
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
