// SPDX-License-Identifier: Apache-2.0
// convert_TOPIC.hpp and .cpp: each typed struct from and to each of its C layouts.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/binding/members.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen::values {
namespace {

bool is_past(const CLayout& layout) { return layout.name.starts_with("historic::"); }

std::string short_name(const CLayout& layout) { return layout.name.substr(is_past(layout) ? 10 : 0); }

std::string head_in(const TypedStruct& type, const CLayout& layout) {
  return fmt::format("void from_c(const {}& c, {}& value)", short_name(layout), type.name);
}

std::string head_out(const TypedStruct& type, const CLayout& layout) {
  return fmt::format("void to_c(const {}& value, {}& c)", type.name, short_name(layout));
}

std::string in(const TypedMember& member, std::size_t layout) {
  const std::string& c = member.c_names[layout];
  const std::string target = fmt::format("value.{}", member.name);
  if (c.empty() && !member.otherwise.empty()) return fmt::format("nvml::detail::{}(c, {});", member.otherwise, target);
  if (c.empty()) return member.shape == TypedMember::Shape::counted ? target + ".clear();" : target + ".reset();";
  if (!member.nothing.empty())
    return fmt::format("nvml::detail::from_c_unless({}, c.{}, {});", member.nothing, c, target);
  const std::string place = member.optional ? target + ".emplace()" : target;
  if (member.shape == TypedMember::Shape::counted)
    return fmt::format("nvml::detail::from_c_counted(c.{}, c.{}, {});", c, member.counts[layout], place);
  if (member.shape == TypedMember::Shape::list)
    return fmt::format("nvml::detail::from_c_counted(c.{}, {}, {});", c, member.extent, place);
  return fmt::format("from_c(c.{}, {});", c, place);
}

std::string out(const TypedMember& member, std::size_t layout) {
  const std::string& c = member.c_names[layout];
  const std::string source = fmt::format("value.{}", member.name);
  if (c.empty()) return {};
  if (!member.nothing.empty()) return fmt::format("nvml::detail::to_c_or({}, {}, c.{});", member.nothing, source, c);
  if (member.shape == TypedMember::Shape::counted)
    return fmt::format("nvml::detail::to_c_counted({}, c.{}, c.{});", source, c, member.counts[layout]);
  if (member.shape == TypedMember::Shape::list) return fmt::format("nvml::detail::to_c_listed({}, c.{});", source, c);
  if (member.optional) return fmt::format("if ({0}) to_c(*{0}, c.{1});", source, c);
  return fmt::format("to_c({}, c.{});", source, c);
}

// Of numbers alone: made in place by whoever asks for it. A call would cost as much as a driver that has the answer.
bool is_flat(const std::vector<TypedMember>& members) {
  return std::ranges::all_of(members, [](const TypedMember& member) {
    const bool number = member.element.category <= Category::mask;
    return number && member.shape == TypedMember::Shape::plain && member.otherwise.empty();
  });
}

// Of one struct in one layout.
struct Conversion {
  std::string declared;
  std::string in_header;
  std::string in_source;
};

Result<Conversion> conversion(const BindingTypes& types, const TypedStruct& type, std::size_t which) {
  const auto members = members_of(types, type);
  if (!members) return std::unexpected(members.error());
  const CLayout& layout = type.layouts[which];
  std::string read;
  std::string written;
  for (const TypedMember& member : *members) {
    read += fmt::format("  {}\n", in(member, which));
    if (const std::string line = out(member, which); !line.empty()) written += fmt::format("  {}\n", line);
  }
  if (!layout.version_word.empty()) written = fmt::format("  c.version = {};\n{}", layout.version_word, written);
  const std::string head = head_in(type, layout);
  const std::string from = fmt::format(" {{\n  using nvml::detail::from_c;\n{}}}\n", read);
  const std::string to =
      fmt::format("{} {{\n  using nvml::detail::to_c;\n  c = {{}};\n{}}}\n\n", head_out(type, layout), written);
  const std::string to_declared = head_out(type, layout) + ";\n";
  if (is_flat(*members)) return Conversion{to_declared, "[[gnu::always_inline]] inline " + head + from + "\n", to};
  return Conversion{head + ";\n" + to_declared, {}, head + from + to};
}

// Each text in the namespace of its C structs.
std::string in_namespaces(const std::string& now, const std::string& past) {
  // Their namespace is that of the C structs, which has no number of ours.
  std::string text;
  if (!now.empty()) text += fmt::format("namespace nvml::abi {{\n\n{}}}  // namespace nvml::abi\n\n", now);
  if (!past.empty()) {
    text += fmt::format("namespace nvml::abi::historic {{\n\n{}}}  // namespace nvml::abi::historic\n\n", past);
  }
  if (!text.empty()) text = fmt::format("}}  // namespace {0}\n\n{1}namespace {0} {{\n\n", kSpace, text);
  return text;
}

struct Pair {
  std::string now;
  std::string past;
  std::string& of(const CLayout& layout) { return is_past(layout) ? past : now; }
};

}  // namespace

std::expected<void, Error> emit_conversions(const BindingTypes& types, Output& output) {
  for (const std::string& topic : topics_of(types)) {
    Pair declared;
    Pair defined;
    std::string traits;
    for (const TypedStruct& type : types.structs()) {
      const bool ours = type.shape.empty() || type.header.starts_with("nvmlab/nvml/values/");
      if (type.topic != topic || type.shape == "none" || !ours) continue;
      for (std::size_t i = 0; i < type.layouts.size(); ++i) {
        const CLayout& layout = type.layouts[i];
        traits +=
            fmt::format("template <>\nstruct TypedOf<abi::{}> {{\n  using type = {};\n}};\n", layout.name, type.name);
        if (type.shape == "hand") continue;
        const auto made = conversion(types, type, i);
        if (!made) return std::unexpected(made.error());
        declared.of(layout) += made->in_header + made->declared;
        defined.of(layout) += made->in_source;
      }
    }
    if (traits.empty()) continue;
    const std::string header = fmt::format("nvmlab/nvml/generated/convert_{}.hpp", topic);
    output.add(
        "binding/" + header,
        header_text("From and to C. What is reserved, and what is behind the end of a text or of a counted list, is "
                    "zero on the way back.",
                    fmt::format("#include \"nvmlab/abi/generated/historic.hpp\"\n"
                                "#include \"nvmlab/abi/generated/types.hpp\"\n"
                                "#include \"nvmlab/nvml/convert.hpp\"\n"
                                "#include \"nvmlab/nvml/generated/values_{}.hpp\"\n",
                                topic),
                    in_namespaces(declared.now, declared.past) +
                        fmt::format("namespace detail {{\n\n{}\n}}  // namespace detail\n\n", traits)));
    if (defined.now.empty() && defined.past.empty()) continue;
    output.add(fmt::format("{}convert_{}.cpp", kFolder, topic),
               source_text("From and to C.",
                           fmt::format("#include \"{}\"\n\n#include \"nvmlab/abi/generated/struct_versions.hpp\"\n{}",
                                       header, nested_conversions(types, topic)),
                           in_namespaces(defined.now, defined.past)));
  }
  return {};
}

std::string nested_conversions(const BindingTypes& types, const std::string& topic) {
  std::set<std::string> others;
  std::string text;
  for (const TypedStruct& type : types.structs()) {
    if (type.topic != topic || !type.shape.empty()) continue;
    const auto members = members_of(types, type);
    if (!members) continue;
    for (const TypedMember& member : *members) {
      if (!member.otherwise.empty()) text += fmt::format("#include \"nvmlab/nvml/values/{}.hpp\"\n", member.otherwise);
      const bool nested = member.element.category == Category::structure;
      const TypedStruct* other = nested ? types.struct_named(member.element.name) : nullptr;
      if (other != nullptr && other->topic != topic) others.insert(other->topic);
    }
  }
  std::string includes;
  for (const std::string& other : others)
    includes += fmt::format("#include \"nvmlab/nvml/generated/convert_{}.hpp\"\n", other);
  return includes + text;
}

}  // namespace nvmlab::codegen::values
