// SPDX-License-Identifier: Apache-2.0
// Writer of methods that answer a text.
#include <fmt/format.h>

#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen::methods {
namespace {

// "NVML_DEVICE_NAME_V2_BUFFER_SIZE" is a constant of nvml::abi under another name.
std::string size_text(const std::string& text) {
  constexpr std::string_view prefix = "NVML_";
  return text.starts_with(prefix) ? "abi::" + text.substr(prefix.size()) : text;
}

}  // namespace

Result<Pieces> write_text(const Writing& writing, const Method& method) {
  if (!method.with(Role::out).empty())
    return fail(fmt::format("{} writes more than a text: give its row `shape: hand`", method.function->name));
  const bool known = method.row != nullptr && !method.row->text.empty();
  if (!known && method.shape != Shape::text_sized)
    return fail(fmt::format("{} needs `text`, the size of its buffer, in its row", method.function->name));
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  Piece piece;
  piece.result = "std::string";
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  piece.body = fmt::format("detail::{}<{}>({})", name_of(method.shape), known ? size_text(method.row->text) : "256",
                           call_of(method, "state()", all->passed));
  return Pieces{std::move(piece)};
}

}  // namespace nvmlab::codegen::methods
