// SPDX-License-Identifier: Apache-2.0
// Writers of lists: an array and its count beside each other or within a struct. Each becomes a vector of typed values,
// and an overload into the caller's memory.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/nvml/keys.hpp"
#include "codegen/emit/nvml/layouts.hpp"
#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen::methods {
namespace {

// What a list of the method has: the elements in C and C++, and how one call is made, given `f`, `count` and `where`.
struct Elements {
  std::string c;
  Typed typed;
  std::string call;
};

// "{detail::Protocol::A, {abi::NVML_ERROR_NOT_FOUND}}"
Result<std::string> rule_of(const Method& method, const std::vector<std::string>& passed) {
  const std::string protocol = method.row == nullptr ? "" : method.row->protocol;
  if (protocol.size() != 1 || protocol < "A" || protocol > "H")
    return fail(
        fmt::format("{} lists something: its row must have `protocol:`, a letter from A to H", method.function->name));
  const auto& empty = method.row->empty;
  if (empty.size() > 2) return fail(fmt::format("{}: two codes can mean that there is nothing", method.function->name));
  std::string codes;
  for (const std::string& code : empty)
    codes += fmt::format("{}abi::{}", codes.empty() ? "" : ", ", code);
  if (protocol == "H") {  // instances of a MIG profile
    return fmt::format("{{detail::Protocol::H, {{{}}}, detail::most_instances(state(), {})}}", codes, joined(passed));
  }
  if (codes.empty()) return fmt::format("{{detail::Protocol::{}}}", protocol);
  return fmt::format("{{detail::Protocol::{}, {{{}}}}}", protocol, codes);
}

Result<Elements> beside(const Writing& writing, const Method& method) {
  Elements elements;
  const auto arrays = method.with(Role::array);
  if (arrays.size() != 1) return fail(fmt::format("{}: one array was expected", method.function->name));
  const MethodParameter& array = *arrays.front();
  auto typed = typed_of(writing, array);
  if (!typed) return std::unexpected(typed.error());
  elements.typed = std::move(*typed);
  const std::string as_declared = c_element(array.c.type);
  elements.c = "abi::" + layout_of(writing.inputs, writing.plan, method, array);
  if (!array.c.type.base.starts_with("nvml")) elements.c = as_declared;
  std::vector<std::string> arguments;
  for (const MethodParameter& parameter : method.parameters) {
    switch (parameter.role) {
      case Role::receiver:
        arguments.emplace_back("handle()");
        break;
      case Role::count:
        arguments.emplace_back("count");
        break;
      case Role::array:
        arguments.emplace_back(elements.c == as_declared ? "where" : "detail::AnyPointer{where}");
        break;
      case Role::in: {
        auto argument = passed(writing, parameter);
        if (!argument) return std::unexpected(argument.error());
        arguments.push_back(std::move(*argument));
        break;
      }
      default:
        return fail(
            fmt::format("{}: a list that answers {} too needs `shape: hand`", method.function->name, parameter.c.name));
    }
  }
  elements.call = fmt::format("return f({});", joined(arguments));
  return elements;
}

Result<Elements> within(const Writing& writing, const Method& method, const Keys& keys) {
  const MethodParameter& holder = *method.with(Role::inout).front();
  const Record& record = *holder.record;
  const auto is_array = [](const Field& field) { return field.type.pointers == 1; };
  const auto is_count = [&](const Field& field) {
    return field.type.base == "unsigned int" && field.type.pointers == 0 &&
           (field.name.ends_with("ount") || field.name.starts_with("num") || field.name.ends_with("Count"));
  };
  const auto array = std::ranges::find_if(record.fields, is_array);
  const auto count = std::ranges::find_if(record.fields, is_count);
  if (array == record.fields.end() || count == record.fields.end())
    return fail(fmt::format("{}: {} has no array with a count", method.function->name, record.name));
  for (const Field& field : record.fields) {
    const bool known = &field == &*array || &field == &*count || field.name == "version" || keys.has(field.name);
    if (!known)
      return fail(fmt::format("{}: {} of {} is no key; a list that answers more needs `shape: hand`",
                              method.function->name, field.name, record.name));
  }
  Elements elements;
  MethodParameter element;
  element.c.type = array->type;
  auto typed = typed_of(writing, element);
  if (!typed) return std::unexpected(typed.error());
  elements.typed = std::move(*typed);
  elements.c = c_element(array->type);
  std::string arguments;
  for (const MethodParameter& parameter : method.parameters) {
    if (!arguments.empty()) arguments += ", ";
    if (parameter.role == Role::inout) {
      arguments += "&c";
    } else if (parameter.role == Role::receiver) {
      arguments += "handle()";
    } else {
      auto argument = passed(writing, parameter);
      if (!argument) return std::unexpected(argument.error());
      arguments += *argument;
    }
  }
  const std::string c = "abi::" + record.name;
  elements.call = fmt::format(
      "{0} c{{}}; {1}return detail::within<&{0}::{2}, &{0}::{3}>(c, count, where, [&] {{ return f({4}); }});", c,
      keys.filled("c"), count->name, array->name, arguments);
  return elements;
}

void write_bodies(const Method& method, const Elements& elements, const std::string& rule, Piece& list, Piece& into) {
  const std::string& function = method.function->name;
  if (function.ends_with("RunningProcesses_v3")) {
    // In the weeks of wider entries, which no symbol tells by itself.
    const std::string_view ask =
        "[&](auto* f, unsigned* count, auto* where) { return f(handle(), count, detail::AnyPointer{where}); }";
    list.body = fmt::format("detail::processes<{}>(library(), &Functions::{}, {}, {})", elements.typed.name, function,
                            rule, ask);
    into.body = fmt::format("detail::processes_into<{}>(library(), &Functions::{}, {}, room, {})", elements.typed.name,
                            function, rule, ask);
    return;
  }
  const std::string ask = fmt::format("[&](auto* f, unsigned* count, {}* where) {{ {} }}", elements.c, elements.call);
  list.body = fmt::format("detail::list<{}, {}>(library(), &Functions::{}, {}, {})", elements.typed.name, elements.c,
                          function, rule, ask);
  into.body = fmt::format("detail::list_into<{}, {}>(library(), &Functions::{}, {}, room, {})", elements.typed.name,
                          elements.c, function, rule, ask);
}

Result<Pieces> pieces_of(const Method& method, Piece common, const Elements& elements, const std::string& rule) {
  if (!elements.typed.header.empty()) common.headers.insert(elements.typed.header);
  Piece list = common;
  list.result = fmt::format("std::vector<{}>", elements.typed.name);
  Piece into = common;
  into.lent = true;
  into.result = fmt::format("std::span<{}>", elements.typed.name);
  into.parameters.push_back(fmt::format("std::span<{}> room", elements.typed.name));
  into.remark = "Into the caller's memory, of which the filled part comes back; too little is INSUFFICIENT_SIZE.";
  write_bodies(method, elements, rule, list, into);
  list.body = about_device(method, list.body);
  into.body = about_device(method, into.body);
  return Pieces{std::move(list), std::move(into)};
}

}  // namespace

Result<Pieces> write_list(const Writing& writing, const Method& method) {
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  auto rule = rule_of(method, all->passed);
  if (!rule) return std::unexpected(rule.error());
  auto elements = beside(writing, method);
  if (!elements) return std::unexpected(elements.error());
  Piece common;
  common.parameters = std::move(all->declared);
  common.headers = std::move(all->headers);
  return pieces_of(method, std::move(common), *elements, *rule);
}

Result<Pieces> write_embedded_list(const Writing& writing, const Method& method) {
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  auto rule = rule_of(method, all->passed);
  if (!rule) return std::unexpected(rule.error());
  auto keys = keys_of(writing, method);
  if (!keys) return std::unexpected(keys.error());
  auto elements = within(writing, method, *keys);
  if (!elements) return std::unexpected(elements.error());
  Piece common;
  common.parameters = std::move(all->declared);
  common.headers = std::move(all->headers);
  for (const Key& key : keys->all) {
    if (!key.declared.empty()) common.parameters.push_back(key.declared);
  }
  common.headers.insert(keys->headers.begin(), keys->headers.end());
  return pieces_of(method, std::move(common), *elements, *rule);
}

}  // namespace nvmlab::codegen::methods
