// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace nvmlab::codegen::methods {
namespace {

struct Row {
  Shape shape;
  Writer writer;
};

// A shape without a row is not written yet.
constexpr std::array table{
    Row{Shape::hand, write_nothing},
    Row{Shape::lifecycle, write_command},
    Row{Shape::error_text, write_error_text},
    Row{Shape::command, write_command},
    Row{Shape::versioned_input, write_command},
    Row{Shape::record_input, write_command},
    Row{Shape::pointed_scalar, write_command},
    Row{Shape::scalar, write_scalar},
    Row{Shape::scalars, write_several},
    Row{Shape::object, write_object},
    Row{Shape::text, write_text},
    Row{Shape::text_sized, write_text},
    Row{Shape::text_fixed, write_text},
    Row{Shape::record, write_record},
    Row{Shape::versioned_record, write_record},
    Row{Shape::keyed_record, write_keyed_record},
    Row{Shape::keyed_versioned_record, write_keyed_record},
    Row{Shape::list, write_list},
    Row{Shape::embedded_list, write_embedded_list},
    Row{Shape::sized_array, write_sized_array},
    Row{Shape::blob, write_blob},
};

// Small enough that a copy is what costs least.
bool by_value(const Typed& typed) {
  return typed.category != Category::structure && typed.category != Category::text &&
         typed.category != Category::handle;
}

}  // namespace

bool is_by_hand(const Writing& writing, const Method& method) {
  return writing.hand.bodies.contains(method.function->name);
}

Writer writer_of(const Writing& writing, const Method& method) {
  if (is_by_hand(writing, method)) return write_by_hand;
  for (const Row& row : table) {
    if (row.shape == method.shape) return row.writer;
  }
  return nullptr;
}

Result<Pieces> write_nothing(const Writing&, const Method&) { return Pieces{}; }

Result<Typed> typed_of(const Writing& writing, const MethodParameter& parameter) {
  return writing.types.typed(parameter.c.type, parameter.kind);
}

Result<std::optional<TypedMember>> sole_member(const Writing& writing, const Type& c) {
  const TypedStruct* type = writing.types.struct_of(c.base);
  if (type == nullptr || type->shape == "hand" || type->shape == "none" || c.pointers == 0) return std::nullopt;
  auto members = members_of(writing.types, *type);
  if (!members) return std::unexpected(members.error());
  if (members->size() != 1) return std::nullopt;
  return std::move(members->front());
}

Result<std::string> declared(const Writing& writing, const MethodParameter& parameter, std::set<std::string>& headers) {
  const auto typed = typed_of(writing, parameter);
  if (!typed) return std::unexpected(typed.error());
  if (!typed->header.empty()) headers.insert(typed->header);
  const auto sole = sole_member(writing, parameter.c.type);
  if (!sole) return std::unexpected(sole.error());
  if (const std::optional<TypedMember>& only = *sole) {
    const bool plain = only->shape == TypedMember::Shape::plain && by_value(only->element);
    return fmt::format(fmt::runtime(plain ? "{} {}" : "const {}& {}"), only->type(), parameter.name);
  }
  return fmt::format(fmt::runtime(by_value(*typed) ? "{} {}" : "const {}& {}"), typed->name, parameter.name);
}

Result<std::string> passed(const Writing& writing, const MethodParameter& parameter) {
  const auto typed = typed_of(writing, parameter);
  if (!typed) return std::unexpected(typed.error());
  const std::string& name = parameter.name;
  if (typed->category == Category::text) return name + ".c_str()";
  if (typed->category == Category::handle) return name + ".handle()";
  const auto sole = sole_member(writing, parameter.c.type);
  if (!sole) return std::unexpected(sole.error());
  if (sole->has_value())
    return fmt::format("detail::Pointed<{}>{{{}{{{}}}}}", c_element(parameter.c.type), typed->name, name);
  if (parameter.c.type.pointers > 0) return fmt::format("detail::Pointed<{}>{{{}}}", c_element(parameter.c.type), name);
  if (typed->category == Category::number) return name;
  return fmt::format("detail::as<{}>({})", c_element(parameter.c.type), name);
}

Result<Given> given(const Writing& writing, const Method& method) {
  Given all;
  for (const MethodParameter& parameter : method.parameters) {
    if (parameter.role == Role::receiver) {
      all.passed.emplace_back("handle()");
    } else if (parameter.role == Role::in) {
      auto text = declared(writing, parameter, all.headers);
      if (!text) return std::unexpected(text.error());
      all.declared.push_back(std::move(*text));
      auto argument = passed(writing, parameter);
      if (!argument) return std::unexpected(argument.error());
      all.passed.push_back(std::move(*argument));
    }
  }
  return all;
}

std::string c_element(const Type& type) {
  return type.base.starts_with("nvml") ? "abi::" + type.base : type.base == "unsigned int" ? "unsigned" : type.base;
}

std::string call_of(const Method& method, std::string_view owner, const std::vector<std::string>& passed) {
  const bool hidden = std::ranges::any_of(
      method.parameters, [&](const MethodParameter& each) { return fmt::format("{}()", each.name) == owner; });
  std::string text = fmt::format("{}{}, &Functions::{}", hidden ? "this->" : "", owner, method.function->name);
  for (const std::string& argument : passed)
    text += ", " + argument;
  return text;
}

std::string about_device(const Method& method, const std::string& body) {
  return method.class_name == "Device" ? fmt::format("detail::about(state(), handle(), [&] {{ return {}; }})", body)
                                       : body;
}

std::string tried(std::string body) {
  constexpr std::string_view state = "(state(), ";
  const std::size_t record = body.find("detail::record<");
  const std::size_t at = record == std::string::npos ? record : body.find(state, record);
  if (at != std::string::npos) body.replace(at, state.size(), "(detail::Trial{state()}, ");
  return body;
}

std::string newest_of(const Method& newest, const std::string& versions) {
  const std::string walk = fmt::format("detail::newest_of({}, {})", call_of(newest, "state()", {}), versions);
  return versions.contains("detail::Trial") ? about_device(newest, walk) : walk;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string argument_names(const std::vector<std::string>& parameters) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const std::string& parameter : parameters)
    names.push_back(parameter.substr(parameter.rfind(' ') + 1));
  return joined(names);
}

std::string camel_case(std::string_view snake) {
  std::string text;
  bool start = true;
  for (const char c : snake) {
    if (c == '_') {
      start = true;
    } else {
      text += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      start = false;
    }
  }
  return text;
}

}  // namespace nvmlab::codegen::methods
