// SPDX-License-Identifier: Apache-2.0
// Writers of arrays whose size goes in by value, and of blocks of bytes whose size the function tells.
#include <fmt/format.h>

#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen::methods {
namespace {

// The C function's arguments in their order, where array and size have names of the lambda's.
Result<std::string> arguments_of(const Writing& writing, const Method& method) {
  std::vector<std::string> arguments;
  for (const MethodParameter& parameter : method.parameters) {
    if (parameter.role == Role::receiver) {
      arguments.emplace_back("handle()");
    } else if (parameter.role == Role::array || parameter.role == Role::out) {
      arguments.emplace_back("where");
    } else if (parameter.role == Role::count || parameter.role == Role::size) {
      arguments.emplace_back("size");
    } else {
      auto argument = passed(writing, parameter);
      if (!argument) return std::unexpected(argument.error());
      arguments.push_back(std::move(*argument));
    }
  }
  return joined(arguments);
}

}  // namespace

// Words of bits are a set; anything else is counted in bytes (performance states).
Result<Pieces> write_sized_array(const Writing& writing, const Method& method) {
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  const auto arguments = arguments_of(writing, method);
  if (!arguments) return std::unexpected(arguments.error());
  const MethodParameter& array = *method.with(Role::array).front();
  const std::string c = c_element(array.c.type);
  const auto typed = typed_of(writing, array);
  if (!typed) return std::unexpected(typed.error());
  const bool words = c == "unsigned long";
  const std::string once = fmt::format("[&](auto* f, unsigned size, {}* where) {{ return f({}); }}", c, *arguments);
  Piece list;
  list.parameters = std::move(all->declared);
  list.headers = std::move(all->headers);
  if (words) {
    list.headers.insert("nvmlab/nvml/index_set.hpp");
  } else if (!typed->header.empty()) {
    list.headers.insert(typed->header);
  }
  Piece into = list;
  into.lent = true;
  if (words) {
    list.result = "IndexSet";
    into.result = "IndexView";
    into.parameters.emplace_back("std::span<unsigned long> room");
    into.body = fmt::format("detail::index_set_into(state(), &Functions::{}, room, {})", method.function->name, once);
    list.body = fmt::format("detail::index_set(state(), &Functions::{}, {})", method.function->name, once);
    into.remark = "Into the caller's words, of which all are written; CPUs beyond them are cut off.";
  } else {
    list.result = fmt::format("std::vector<{}>", typed->name);
    into.result = fmt::format("std::span<{}>", typed->name);
    into.parameters.push_back(fmt::format("std::span<{}> room", typed->name));
    into.body = fmt::format("detail::states_into(state(), &Functions::{}, room, {})", method.function->name, once);
    list.body =
        fmt::format("detail::states<{}>(state(), &Functions::{}, {})", typed->name, method.function->name, once);
    into.remark = "Into the caller's memory, of which the filled part comes back; too little is INSUFFICIENT_SIZE.";
  }
  list.body = about_device(method, list.body);
  into.body = about_device(method, into.body);
  return Pieces{std::move(list), std::move(into)};
}

Result<Pieces> write_blob(const Writing& writing, const Method& method) {
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  const auto arguments = arguments_of(writing, method);
  if (!arguments) return std::unexpected(arguments.error());
  const MethodParameter& out = *method.with(Role::out).front();
  const auto typed = typed_of(writing, out);
  if (!typed) return std::unexpected(typed.error());
  const std::string ask = fmt::format(
      "[&](auto* f, unsigned* size, std::byte* bytes) {{ const detail::AnyPointer where{{bytes}}; return f({}); }}",
      *arguments);
  Piece piece;
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  if (!typed->header.empty()) piece.headers.insert(typed->header);
  Piece into = piece;
  piece.result = typed->name;
  piece.body = fmt::format("detail::blob<{}>(state(), &Functions::{}, {})", typed->name, method.function->name, ask);
  into.lent = true;
  into.result = "std::span<std::byte>";
  into.parameters.emplace_back("std::span<std::byte> room");
  into.body = fmt::format(
      "detail::list_into<std::byte, std::byte>(library(), &Functions::{}, {{detail::Protocol::A}}, room, {})",
      method.function->name, ask);
  into.remark = "The C struct with what is behind it, into the caller's memory.";
  piece.body = about_device(method, piece.body);
  into.body = about_device(method, into.body);
  return Pieces{std::move(piece), std::move(into)};
}

}  // namespace nvmlab::codegen::methods
