// SPDX-License-Identifier: Apache-2.0
// tests/binding/generated/leaves.hpp: the parts of each C layout that a typed value must carry, for tests that fill
// them, convert there and back, and compare. What is reserved or left out by a row is not among them.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/binding/members.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen::values {
namespace {

std::string leaf(const TypedMember& member, const std::string& c, const std::string& what) {
  switch (member.element.category) {
    case Category::structure:
      return fmt::format("leaves({}, visit);", what);
    case Category::flag:
      return fmt::format("visit.flag(\"{}\", {});", c, what);
    case Category::handle:
      return fmt::format("visit.handle(\"{}\", {});", c, what);
    default:
      return fmt::format("visit.number(\"{}\", {});", c, what);
  }
}

std::string lines_of(const TypedMember& member, std::size_t layout) {
  const std::string& c = member.c_names[layout];
  if (c.empty()) return {};
  if (member.shape == TypedMember::Shape::text) return fmt::format("  visit.text(\"{0}\", c.{0});\n", c);
  if (member.shape == TypedMember::Shape::plain) return fmt::format("  {}\n", leaf(member, c, "c." + c));
  std::string text;
  std::string end = fmt::format("{}", member.extent);
  if (member.shape == TypedMember::Shape::counted) {
    text = fmt::format("  visit.count(\"{0}\", c.{0}, {1});\n", member.counts[layout], member.extent);
    end = fmt::format("c.{}", member.counts[layout]);
  }
  return text +
         fmt::format("  for (unsigned i = 0; i < {}; ++i)\n    {}\n", end, leaf(member, c, fmt::format("c.{}[i]", c)));
}

class Leaves {
 public:
  explicit Leaves(const BindingTypes& types) : types_(types) {}

  Result<std::string> body() {
    for (const TypedStruct& each : types_.structs()) {
      if (auto written = write(each); !written) return std::unexpected(written.error());
    }
    return fmt::format("{}template <class Check>\nvoid for_each_layout(Check&& check) {{\n{}}}\n\n", text_, calls_);
  }

 private:
  Result<void> write(const TypedStruct& type) {
    if (!type.shape.empty() || !written_.insert(type.name).second) return {};
    const auto members = members_of(types_, type);
    if (!members) return std::unexpected(members.error());
    for (const TypedMember& member : *members) {
      if (member.element.category != Category::structure) continue;
      if (auto nested = write(*types_.struct_named(member.element.name)); !nested) return nested;
    }
    for (std::size_t i = 0; i < type.layouts.size(); ++i) {
      const CLayout& layout = type.layouts[i];
      text_ += fmt::format("template <class Visitor>\nvoid leaves(abi::{}& c, Visitor& visit) {{\n", layout.name);
      if (!layout.version_word.empty()) text_ += fmt::format("  visit.word(c.version, {});\n", layout.version_word);
      for (const TypedMember& member : *members)
        text_ += lines_of(member, i);
      text_ += "}\n\n";
      calls_ += fmt::format("  check.template operator()<abi::{0}>(\"{0}\");\n", layout.name);
    }
    return {};
  }

  const BindingTypes& types_;
  std::set<std::string> written_;
  std::string text_;
  std::string calls_;
};

}  // namespace

std::expected<void, Error> emit_leaves(const BindingTypes& types, Output& output) {
  auto body = Leaves(types).body();
  if (!body) return std::unexpected(body.error());
  std::string includes = "#include \"nvmlab/abi/generated/struct_versions.hpp\"\n";
  for (const std::string& topic : topics_of(types))
    includes += fmt::format("#include \"nvmlab/nvml/generated/convert_{}.hpp\"\n", topic);
  includes += "#include \"tests/binding/support/hand_leaves.hpp\"\n";
  output.add("tests/binding/generated/leaves.hpp",
             header_text("The parts of each C layout that its typed value carries.", includes, *body, kTestSpace));
  return {};
}

}  // namespace nvmlab::codegen::values
