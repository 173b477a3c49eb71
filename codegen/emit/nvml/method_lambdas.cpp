// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/method_lambdas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "codegen/emit/nvml/keys.hpp"
#include "codegen/emit/nvml/layouts.hpp"

namespace nvmlab::codegen::methods {
namespace {

// Is the word in the text?
bool mentions(std::string_view text, std::string_view word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || (!part(text[at - 1]) && text[at - 1] != '>' && text[at - 1] != '"');
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || !part(text[end]))) return true;
  }
  return false;
}

// Statements on lines of their own where one line would not hold them.
std::string braced(std::string_view body) {
  while (body.ends_with(' '))
    body.remove_suffix(1);
  if (body.empty()) return "{}";
  if (body.size() < 80) return fmt::format("{{ {} }}", body);
  std::string text = "{\n";
  while (!body.empty()) {
    const std::size_t end = std::min(body.find("; "), body.size() - 1);
    text += fmt::format("        {}\n", body.substr(0, end + 1));
    body.remove_prefix(std::min(end + 2, body.size()));
  }
  return text + "      }";
}

std::string lambda(const Method& method, const std::string& body) {
  std::vector<std::string> parameters;
  parameters.reserve(method.parameters.size());
  for (const MethodParameter& each : method.parameters)
    parameters.push_back(mentions(body, each.c.name) ? "auto " + each.c.name : "auto");
  return fmt::format("[]({}) {}", joined(parameters), braced(body));
}

std::string_view protocol_of(const Method& method) {
  return method.row == nullptr ? std::string_view{} : std::string_view{method.row->protocol};
}

class LambdaWriter {
 public:
  LambdaWriter(const Writing& writing, const Method& method, const Piece& piece)
      : writing_(writing), method_(method), piece_(piece) {}

  Result<std::optional<Lambdas>> write() {
    if (is_by_hand(writing_, method_) || method_.shape == Shape::hand || method_.shape == Shape::blob ||
        method_.shape == Shape::error_text)
      return std::nullopt;
    if (auto looked = look_at_inputs(); !looked) return std::unexpected(looked.error());
    if (!method_.with(Role::inout).empty() && method_.shape != Shape::embedded_list) {
      if (auto written = keyed(); !written) return std::unexpected(written.error());
    } else if (method_.shape == Shape::list || method_.shape == Shape::embedded_list ||
               method_.shape == Shape::sized_array) {
      if (auto written = listed(); !written) return std::unexpected(written.error());
    } else {
      outputs();
    }
    Lambdas all;
    all.command = same_.empty();
    all.came = lambda(method_, came_);
    all.act = lambda(method_, act_.empty() ? "return abi::NVML_SUCCESS;" : act_);
    all.note = lambda(method_, note_);
    all.same =
        same_.empty() ? "[](const auto&) { return true; }" : fmt::format("[](const auto& value) {}", braced(same_));
    return all;
  }

 private:
  Result<void> look_at_inputs() {
    for (const MethodParameter& each : method_.parameters) {
      if (each.role == Role::receiver) {
        came_ += fmt::format("came(subject<{}>(), {}, \"the object\"); ", method_.class_name, each.c.name);
      } else if (each.role == Role::in) {
        const std::string type = argument_type(piece_.parameters.at(place_));
        const auto typed = typed_of(writing_, each);
        if (!typed) return std::unexpected(typed.error());
        const auto sole = sole_member(writing_, each.c.type);
        if (!sole) return std::unexpected(sole.error());
        const bool structure = typed->category == Category::structure && !sole->has_value();
        const std::string given = structure
                                      ? fmt::format("given_structure<{}, {}>({})", type, c_element(each.c.type), place_)
                                      : fmt::format("given<{}>({})", type, place_);
        came_ += fmt::format("came({}, {}, \"{}\"); ", given, each.c.name, each.c.name);
        ++place_;
      }
    }
    if (method_.with(Role::inout).empty()) return {};
    auto keys = keys_of(writing_, method_);
    if (!keys) return std::unexpected(keys.error());
    keys_ = std::move(*keys);
    const std::string& holder = method_.with(Role::inout).front()->c.name;
    for (const Key& key : keys_.all) {
      const std::string given = key.declared.empty()
                                    ? fmt::format("subject<{}>()", method_.class_name)
                                    : fmt::format("given<{}>({})", argument_type(key.declared), place_++);
      came_ += fmt::format("came({0}, {1}->{2}, \"{2}\"); ", given, holder, key.member);
    }
    if (method_.with(Role::inout).front()->record->has_version()) came_ += fmt::format("came_versioned({}); ", holder);
    return {};
  }

  Result<void> keyed() {
    const MethodParameter& holder = *method_.with(Role::inout).front();
    const std::string c = "abi::" + holder.record->name;
    const std::string& name = holder.c.name;
    std::string restored;
    for (const Key& key : keys_.all)
      restored += fmt::format("restore({}->{}, before.{}); ", name, key.member, key.member);
    act_ =
        fmt::format("[[maybe_unused]] const auto before = *{0}; const auto code = written<{1}>({0}); {2}return code;",
                    name, c, restored);
    note_ = fmt::format("keep<{}>({});", c, name);
    std::vector<std::string> answers;
    for (const Field& field : holder.record->fields) {
      if (field.name != "version" && !field.name.starts_with("reserved") && !keys_.has(field.name))
        answers.push_back(field.name);
    }
    const std::string member = answers.size() == 1 ? "." + answers.front() : "";
    same_ = fmt::format("return same(value, Held<{}>::now{});", c, member);
    return {};
  }

  Result<void> listed() {
    if (method_.shape == Shape::sized_array) {
      const MethodParameter& array = *method_.with(Role::array).front();
      const MethodParameter& size = *method_.with(Role::count).front();
      const std::string c = c_element(array.c.type);
      const char* const what = c == "unsigned long" ? "words" : "states";
      act_ = fmt::format("return played_{}({}, {});", what, size.c.name, array.c.name);
      note_ = fmt::format("keep_{}({}, {});", what, size.c.name, array.c.name);
      same_ = fmt::format("return same_list<{}>(value);", c);
      return {};
    }
    std::string c;
    std::string count;
    std::string array;
    if (method_.shape == Shape::embedded_list) {
      const MethodParameter& holder = *method_.with(Role::inout).front();
      for (const Field& field : holder.record->fields) {
        const bool number = field.type.base == "unsigned int" && field.type.pointers == 0;
        if (field.type.pointers == 1 && array.empty()) {
          array = fmt::format("{}->{}", holder.c.name, field.name);
          c = c_element(field.type);
        } else if (number && count.empty() && (field.name.ends_with("ount") || field.name.starts_with("num"))) {
          count = fmt::format("&{}->{}", holder.c.name, field.name);
        }
      }
    } else {
      const MethodParameter& elements = *method_.with(Role::array).front();
      c = elements.c.type.base.starts_with("nvml")
              ? "abi::" + layout_of(writing_.inputs, writing_.plan, method_, elements)
              : c_element(elements.c.type);
      array = elements.c.name;
      count = method_.with(Role::count).front()->c.name;
    }
    act_ = fmt::format("return played<{}>('{}', {}, {});", c, protocol_of(method_), count, array);
    note_ = fmt::format("keep_list<{}>({}, {});", c, count, array);
    same_ = fmt::format("return same_list<{}>(value);", c);
    return {};
  }

  // A struct whose version word tells which layout it has.
  bool versioned() {
    const auto outs = method_.with(Role::out);
    if (method_.shape != Shape::versioned_record || outs.size() != 1 || method_.function->guarded) return false;
    const TypedStruct* type = writing_.types.struct_of(outs.front()->c.type.base);
    if (type == nullptr) return false;
    std::string layouts;
    unsigned many = 0;
    for (const CLayout& layout : type->layouts) {
      if (layout.version_word.empty() || layout.name.starts_with("historic::")) continue;
      layouts += fmt::format("{}abi::{}", many++ == 0 ? "" : ", ", layout.name);
    }
    if (many < 2) return false;
    const std::string& name = outs.front()->c.name;
    act_ = fmt::format("return OneOf<{}>::written({});", layouts, name);
    note_ = fmt::format("OneOf<{}>::keep({});", layouts, name);
    same_ = fmt::format("return SameAsOneOf<OneOf<{}>>::check(value);", layouts);
    return true;
  }

  // Numbers, handles, texts and structs that come out and do not go in.
  void outputs() {
    if (versioned()) return;
    unsigned number = 0;
    std::vector<std::string> wanted;
    std::string sizes;
    for (const MethodParameter& each : method_.parameters) {
      const std::string& name = each.c.name;
      std::string write;
      if (each.role == Role::text) {
        write = fmt::format("written_text({})", name);
        note_ += fmt::format("keep_text({}); ", name);
        wanted.emplace_back("Held<std::string>::now");
      } else if (each.role == Role::size && each.c.type.pointers == 1) {
        sizes += fmt::format("*{} = 7; ", name);
        continue;
      } else if (each.role == Role::out) {
        const std::string c = each.record == nullptr
                                  ? c_element(each.c.type)
                                  : "abi::" + layout_of(writing_.inputs, writing_.plan, method_, each);
        write = fmt::format("written<{}, {}>({})", c, number, name);
        note_ += fmt::format("keep<{}, {}>({}); ", c, number, name);
        wanted.push_back(fmt::format("Held<{}, {}>::now", c, number));
        ++number;
      } else {
        continue;
      }
      act_ += act_.empty() ? write : ", " + write;
    }
    if (wanted.empty()) return;
    act_ = fmt::format("{}return {};", sizes, act_);
    if (wanted.size() == 1) {
      same_ = fmt::format("return same(value, {});", wanted.front());
      return;
    }
    std::vector<std::string> names;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      names.push_back(fmt::format("part{}", i));
      parts.push_back(fmt::format("same(part{}, {})", i, wanted[i]));
    }
    same_ = fmt::format("const auto& [{}] = value; return {};", joined(names), joined(parts, " && "));
  }

  const Writing& writing_;
  const Method& method_;
  const Piece& piece_;
  unsigned place_ = 0;  // among the method's parameters
  Keys keys_;
  std::string came_;
  std::string act_;
  std::string note_;
  std::string same_;
};

}  // namespace

std::string argument_type(const std::string& parameter) {
  std::string type = parameter.substr(0, parameter.rfind(' '));
  if (type.starts_with("const ")) type.erase(0, 6);
  if (type.ends_with('&')) type.pop_back();
  return type;
}

Result<std::optional<Lambdas>> lambdas_of(const Writing& writing, const Method& method, const Piece& piece) {
  return LambdaWriter(writing, method, piece).write();
}

}  // namespace nvmlab::codegen::methods
