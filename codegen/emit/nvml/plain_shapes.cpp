// SPDX-License-Identifier: Apache-2.0
// Writers of commands, numbers and objects.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen::methods {
namespace {

// Where the C function has them: shapes pass what they write behind what they are given.
Result<void> check_order(const Method& method) {
  bool written = false;
  for (const MethodParameter& parameter : method.parameters) {
    const bool out = parameter.role != Role::in && parameter.role != Role::receiver;
    if (written && !out)
      return fail(fmt::format("{}: an input follows an output, which shape {} does not know", method.function->name,
                              name_of(method.shape)));
    written = written || out;
  }
  return {};
}

// What stands behind a member of a result: the sentence of the row, and the name in C.
Result<std::string> doc_of(const Method& method, const MethodParameter& out) {
  const std::string* says = nullptr;
  if (method.row != nullptr && method.row->tells.contains(out.c.name)) says = &method.row->tells.at(out.c.name);
  if (says == nullptr || says->empty())
    return fail(
        fmt::format("{}: {} needs a sentence in `tells` of its row in model/binding/functions/: it becomes a "
                    "member of a result",
                    method.function->name, out.c.name));
  if (!out.nothing.empty() && says->find("othing") == std::string::npos)
    return fail(
        fmt::format("{}: the sentence of {} does not say what nothing means", method.function->name, out.c.name));
  return fmt::format("{} C: {}", *says, out.c.name);
}

// In a class's header other objects are names only.
bool takes_object(const Writing& writing, const Method& method) {
  return std::ranges::any_of(method.with(Role::in), [&](const MethodParameter* each) {
    const auto typed = typed_of(writing, *each);
    return each->c.type.pointers > 0 || (typed && typed->category == Category::handle);
  });
}

}  // namespace

Result<Pieces> write_command(const Writing& writing, const Method& method) {
  if (!method.with(Role::out).empty()) return write_scalar(writing, method);  // nvmlDeviceSetMigMode
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  Piece piece;
  piece.result = "void";
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  piece.body = fmt::format("detail::command({})", call_of(method, "state()", all->passed));
  return Pieces{std::move(piece)};
}

Result<Pieces> write_scalar(const Writing& writing, const Method& method) {
  if (auto ordered = check_order(method); !ordered) return std::unexpected(ordered.error());
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  const auto outs = method.with(Role::out);
  if (outs.size() != 1) return fail(fmt::format("{}: one output was expected", method.function->name));
  const MethodParameter& out = *outs.front();
  const auto typed = typed_of(writing, out);
  if (!typed) return std::unexpected(typed.error());
  Piece piece;
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  if (!typed->header.empty()) piece.headers.insert(typed->header);
  piece.in_class = !takes_object(writing, method);
  const std::string types = fmt::format("{}, {}", typed->name, c_element(out.c.type));
  if (out.nothing.empty()) {
    piece.result = typed->name;
    piece.body = fmt::format("detail::scalar<{}>({})", types, call_of(method, "state()", all->passed));
  } else {
    piece.result = fmt::format("std::optional<{}>", typed->name);
    all->passed.insert(all->passed.begin(), out.nothing);
    piece.body = fmt::format("detail::scalar_or_nothing<{}>({})", types, call_of(method, "state()", all->passed));
  }
  return Pieces{std::move(piece)};
}

Result<Pieces> write_several(const Writing& writing, const Method& method) {
  if (auto ordered = check_order(method); !ordered) return std::unexpected(ordered.error());
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  Piece piece;
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  const bool named = method.row != nullptr && !method.row->result.empty();
  std::string name = named ? method.row->result : camel_case(method.name);
  // What is pending beside what is: nvmlDeviceGetDriverModel answers two of the type with that name.
  if (writing.types.enum_named(name) != nullptr || writing.types.struct_named(name) != nullptr) name += "s";
  std::string members;
  std::string into;
  for (const MethodParameter* out : method.with(Role::out)) {
    const auto typed = typed_of(writing, *out);
    if (!typed) return std::unexpected(typed.error());
    if (!typed->header.empty()) piece.headers.insert(typed->header);
    const auto doc = doc_of(method, *out);
    if (!doc) return std::unexpected(doc.error());
    piece.members.push_back(out->name);
    const std::string c = c_element(out->c.type);
    const auto sole = sole_member(writing, out->c.type);
    if (!sole) return std::unexpected(sole.error());
    if (const std::optional<TypedMember>& only = *sole) {
      members += fmt::format("  {} {}{{}};  ///< {}\n", only->type(), out->name, *doc);
      into += fmt::format(", detail::into<{}>(&{}::{}, &{}::{})", c, name, out->name, typed->name, only->name);
    } else if (out->nothing.empty()) {
      members += fmt::format("  {} {}{{}};  ///< {}\n", typed->name, out->name, *doc);
      into += fmt::format(", detail::into<{}>(&{}::{})", c, name, out->name);
    } else {
      members += fmt::format("  std::optional<{}> {};  ///< {}\n", typed->name, out->name, *doc);
      into += fmt::format(", detail::into<{}>(&{}::{}, {})", c, name, out->name, out->nothing);
    }
  }
  piece.result = name;
  piece.structure_name = name;
  piece.structure = fmt::format("struct {} {{\n{}\n  friend bool operator==(const {}&, const {}&) = default;\n}};\n",
                                name, members, name, name);
  piece.body = fmt::format("detail::several<{}>({}, std::tuple{{{}}}{})", name, call_of(method, "state()", {}),
                           joined(all->passed), into);
  return Pieces{std::move(piece)};
}

// nvmlErrorString: its text is the library's, and lasts as long.
Result<Pieces> write_error_text(const Writing& writing, const Method& method) {
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  Piece piece;
  piece.result = "std::string_view";
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  piece.body = fmt::format("detail::static_text({})", call_of(method, "state()", all->passed));
  return Pieces{std::move(piece)};
}

Result<Pieces> write_object(const Writing& writing, const Method& method) {
  if (auto ordered = check_order(method); !ordered) return std::unexpected(ordered.error());
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  const MethodParameter& out = *method.with(Role::out).front();
  const auto typed = typed_of(writing, out);
  if (!typed) return std::unexpected(typed.error());
  Piece piece;
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  piece.result = typed->name;
  piece.body = fmt::format("detail::object<{}, {}>({})", typed->name, c_element(out.c.type),
                           call_of(method, "library()", all->passed));
  return Pieces{std::move(piece)};
}

}  // namespace nvmlab::codegen::methods
