// SPDX-License-Identifier: Apache-2.0
// values_TOPIC.hpp: the typed structs of a topic, each after those that it is made of.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/binding/members.hpp"
#include "codegen/columns.hpp"
#include "codegen/emit/nvml/values.hpp"

namespace nvmlab::codegen::values {
namespace {

// The sentence of its row, which also says what a sentinel means; then what C calls it, and whether a layout lacks it.
std::string doc_of(const TypedMember& member) {
  std::string c;
  for (const std::string& name : member.c_names) {
    if (c.empty()) c = name;
  }
  const bool lacking = std::ranges::find(member.c_names, "") != member.c_names.end();
  const std::string text = fmt::format("{} C: {}", member.says, c);
  return member.optional && lacking ? text + "; nothing from drivers with an older layout" : text;
}

class Topic {
 public:
  Topic(const BindingTypes& types, std::string name) : types_(types), name_(std::move(name)) {}

  Result<std::string> text() {
    for (const TypedStruct& each : types_.structs()) {
      if (auto written = write(each); !written) return std::unexpected(written.error());
    }
    std::string includes;
    for (const std::string& header : standard_)
      includes += fmt::format("#include <{}>\n", header);
    if (!includes.empty() && !own_.empty()) includes += '\n';
    for (const std::string& header : own_)
      includes += fmt::format("#include \"{}\"\n", header);
    return header_text(fmt::format("Values of the topic {}.", name_), includes, body_);
  }

 private:
  Result<void> write(const TypedStruct& type) {
    if (type.topic != name_ || type.shape == "none" || !written_.insert(type.name).second) return {};
    if (type.shape == "hand") {
      own_.insert(type.header);
      return {};
    }
    const auto members = members_of(types_, type);
    if (!members) return std::unexpected(members.error());
    std::string text = type.says.empty() ? std::string{} : wrapped(type.says, "/// ");
    std::string layouts;
    for (const CLayout& layout : type.layouts)
      layouts += (layouts.empty() ? "C: " : ", ") + layout.name;
    text += wrapped(layouts, "/// ") + fmt::format("struct {} {{\n", type.name);
    for (const TypedMember& member : *members) {
      if (auto needed = need(member); !needed) return needed;
      text += fmt::format("  {} {}{{}};  ///< {}\n", member.type(), member.name, doc_of(member));
    }
    body_ += text + fmt::format("  bool operator==(const {}&) const = default;\n}};\n\n", type.name);
    return {};
  }

  Result<void> need(const TypedMember& member) {
    using Shape = TypedMember::Shape;
    const std::string type = member.type();
    for (const char* each : {"array", "vector", "optional", "string"}) {
      if (type.find(fmt::format("std::{}", each)) != std::string::npos) standard_.insert(each);
    }
    if (type.find("std::uint") != std::string::npos || type.find("std::int") != std::string::npos)
      standard_.insert("cstdint");
    if (member.shape == Shape::text) return {};
    const TypedStruct* nested =
        member.element.category == Category::structure ? types_.struct_named(member.element.name) : nullptr;
    if (nested != nullptr && nested->topic == name_) return write(*nested);
    if (!member.element.header.empty()) own_.insert(member.element.header);
    return {};
  }

  const BindingTypes& types_;
  std::string name_;
  std::string body_;
  std::set<std::string> written_;
  std::set<std::string> standard_;
  std::set<std::string> own_;
};

}  // namespace

std::set<std::string> topics_of(const BindingTypes& types) {
  std::set<std::string> topics;
  for (const TypedStruct& each : types.structs()) {
    if (each.shape != "none") topics.insert(each.topic);
  }
  return topics;
}

std::expected<void, Error> emit_structs(const BindingTypes& types, Output& output) {
  for (const std::string& topic : topics_of(types)) {
    auto text = Topic(types, topic).text();
    if (!text) return std::unexpected(text.error());
    output.add(fmt::format("{}values_{}.hpp", kFolder, topic), std::move(*text));
  }
  return {};
}

}  // namespace nvmlab::codegen::values
