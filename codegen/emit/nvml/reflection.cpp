// SPDX-License-Identifier: Apache-2.0
// binding/nvmlab/nvml/generated/members.hpp and enumerators.hpp: the members of each typed struct and the enumerators
// of each enumeration, to be visited; tests/binding/generated/reflected.hpp names all of them, and all quantities, for
// the tests that they are complete. Covered by tests/binding/snapshot_test.cpp and whole_types_test.cpp.
#include <fmt/format.h>

#include "codegen/binding/members.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen::values {

std::string visit_of(std::string_view type, const std::vector<std::string>& members) {
  std::string calls;
  for (const std::string& member : members)
    calls += fmt::format("  visit(std::string_view{{\"{0}\"}}, value.{0});\n", member);
  return fmt::format(
      "template <class Visit>\nconstexpr void for_each_member(const {}& value, Visit&& visit) {{\n{}}}\n\n", type,
      calls);
}

namespace {

struct Reflected {
  std::string visits;
  std::string types;  // calls of the test, one for each struct
  std::string enums;  // and one for each enumeration
};

std::expected<void, Error> add_structs(const BindingTypes& types, Reflected& all) {
  for (const TypedStruct& each : types.structs()) {
    if (!each.shape.empty()) continue;
    const auto members = members_of(types, each);
    if (!members) return std::unexpected(members.error());
    std::vector<std::string> names;
    for (const TypedMember& member : *members)
      names.push_back(member.name);
    all.visits += visit_of(each.name, names);
    all.types += fmt::format("  check.template operator()<{0}>(\"{0}\", {1});\n", each.name, names.size());
  }
  return {};
}

std::string enumerators_of(const TypedEnum& type) {
  std::string list;
  for (const TypedEnumerator& each : type.enumerators) {
    if (!each.repeated) list += fmt::format("{}::{}, ", type.name, each.name);
  }
  return fmt::format("template <>\nstruct Enumerators<{0}> {{\n  static constexpr {0} all[] = {{{1}}};\n}};\n",
                     type.name, list);
}

}  // namespace

std::expected<void, Error> emit_reflection(const BindingTypes& types, Output& output) {
  Reflected all;
  if (auto added = add_structs(types, all); !added) return added;
  std::string includes = "#include <string_view>\n\n";
  for (const std::string& topic : topics_of(types))
    includes += fmt::format("#include \"nvmlab/nvml/generated/values_{}.hpp\"\n", topic);
  output.add(std::string(kFolder) + "members.hpp",
             header_text("visit(std::string_view name, const auto& member), for each member of a value in its order.",
                         includes, all.visits));

  std::string lists;
  std::set<std::string> headers;
  for (const TypedEnum& each : types.enums()) {
    lists += enumerators_of(each);
    headers.insert(each.header);
    std::size_t count = 0;
    for (const TypedEnumerator& one : each.enumerators)
      count += one.repeated ? 0 : 1;
    all.enums += fmt::format("  check.template operator()<{0}>(\"{0}\", {1});\n", each.name, count);
  }
  includes.clear();
  for (const std::string& header : headers)
    includes += fmt::format("#include \"{}\"\n", header);
  output.add(std::string(kFolder) + "enumerators.hpp",
             header_text("The values of each enumeration that have a name, in their order.", includes,
                         "namespace detail {\n\ntemplate <class Enum>\nstruct Enumerators;\n" + lists +
                             "\n}  // namespace detail\n\n"));

  std::string units;
  for (const std::string& each : quantities())
    units += fmt::format("  check.template operator()<{0}>(\"{0}\");\n", each);
  output.add("tests/binding/generated/reflected.hpp",
             header_text("All types that can be visited, and all quantities.",
                         "#include \"nvmlab/nvml/reflect.hpp\"\n#include \"nvmlab/nvml/units.hpp\"\n",
                         fmt::format("template <class Check>\nvoid for_each_struct(Check&& check) {{\n{}}}\n\n"
                                     "template <class Check>\nvoid for_each_enum(Check&& check) {{\n{}}}\n\n"
                                     "template <class Check>\nvoid for_each_quantity(Check&& check) {{\n{}}}\n\n",
                                     all.types, all.enums, units),
                         kTestSpace));
  return {};
}

}  // namespace nvmlab::codegen::values
