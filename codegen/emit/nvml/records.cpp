// SPDX-License-Identifier: Apache-2.0
// Writer of methods that answer a struct, in the newest layout that the library knows.
#include <fmt/format.h>

#include <optional>

#include "codegen/emit/nvml/layouts.hpp"
#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen::methods {

std::vector<std::string> record_layouts(const Writing& writing, const Method& method) {
  const MethodParameter& out = *method.with(Role::out).front();
  const TypedStruct* type = writing.types.struct_of(out.c.type.base);
  if (method.shape != Shape::versioned_record || type == nullptr)
    return {"abi::" + layout_of(writing.inputs, writing.plan, method, out)};
  std::vector<std::string> all;
  for (const CLayout& layout : type->layouts) {
    if (!layout.version_word.empty() && !layout.name.starts_with("historic::")) all.push_back("abi::" + layout.name);
  }
  return all;
}

Result<Pieces> write_record(const Writing& writing, const Method& method) {
  const auto outs = method.with(Role::out);
  if (outs.size() != 1) return write_several(writing, method);  // nvmlGetVgpuVersion: two of one type
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  const MethodParameter& out = *outs.front();
  const auto typed = typed_of(writing, out);
  if (!typed) return std::unexpected(typed.error());
  Piece piece;
  piece.result = typed->name;
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  if (!typed->header.empty()) piece.headers.insert(typed->header);
  std::vector<std::string> layouts = record_layouts(writing, method);
  // Where the function has the struct: nvmlEventSetWait has a time behind it.
  all->passed.insert(all->passed.begin() + (outs.front() - method.parameters.data()), "detail::here");
  const bool old = layouts.front().starts_with("abi::historic::");
  if (old) layouts.push_back("abi::" + out.record->name);
  piece.body = fmt::format("detail::record{}<{}, {}>({})", old ? "_of_old" : "", typed->name, joined(layouts),
                           call_of(method, "state()", all->passed));
  const auto sole = sole_member(writing, out.c.type);
  if (!sole) return std::unexpected(sole.error());
  if (const std::optional<TypedMember>& only = *sole) {
    piece.result = only->type();
    piece.body = fmt::format("detail::sole(&{}::{}, {})", typed->name, only->name, piece.body);
  }
  return Pieces{std::move(piece)};
}

}  // namespace nvmlab::codegen::methods
