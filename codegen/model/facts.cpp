// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/facts.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace nvmlab::codegen {
namespace {

constexpr std::array<std::pair<MacroKind, std::string_view>, 9> macro_kinds{{
    {MacroKind::empty, "empty"},
    {MacroKind::integer, "integer"},
    {MacroKind::struct_version, "struct_version"},
    {MacroKind::alias, "alias"},
    {MacroKind::string, "string"},
    {MacroKind::expression, "expression"},
    {MacroKind::bit_range, "bit_range"},
    {MacroKind::function_like, "function_like"},
    {MacroKind::attribute, "attribute"},
}};

}  // namespace

std::string Type::text() const { return fmt::format("{}{}{:*>{}}", constant ? "const " : "", base, "", pointers); }

Result<Type> parse_type(std::string_view text) {
  Type type;
  std::string_view rest = text;
  while (rest.ends_with('*') || rest.ends_with(' ')) {
    if (rest.back() == '*') ++type.pointers;
    rest.remove_suffix(1);
  }
  if (rest.starts_with("const ")) {
    type.constant = true;
    rest.remove_prefix(6);
  }
  const bool plain = std::ranges::all_of(rest, [](char c) {
    return c == '_' || c == ' ' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (rest.empty() || !plain) {
    return fail(fmt::format("'{}' is not a type that this model knows; it would be [const] NAME[*...]", text));
  }
  type.base = rest;
  return type;
}

bool Function::same_signature(const Function& other) const {
  return returns == other.returns &&
         std::ranges::equal(parameters, other.parameters, {}, &Parameter::type, &Parameter::type);
}

bool Field::operator==(const Field& other) const {
  return name == other.name && type == other.type && extents == other.extents && offset == other.offset &&
         size == other.size && nested == other.nested;
}

bool Record::operator==(const Record& other) const {
  return name == other.name && tag == other.tag && is_union == other.is_union && size == other.size &&
         align == other.align && fields == other.fields;
}

std::string_view name_of(MacroKind kind) {
  return std::ranges::find(macro_kinds, kind, &std::pair<MacroKind, std::string_view>::first)->second;
}

std::optional<MacroKind> macro_kind_of(std::string_view name) {
  const auto at = std::ranges::find(macro_kinds, name, &std::pair<MacroKind, std::string_view>::second);
  return at == macro_kinds.end() ? std::nullopt : std::optional(at->first);
}

std::string Constant::text() const { return is_unsigned() ? fmt::format("{}", bits) : fmt::format("{}", as_signed()); }

Counts count(const Release& release) {
  Counts counts;
  counts.functions = release.functions.size();
  for (const Function& function : release.functions) {
    counts.guarded_functions += function.guarded ? 1 : 0;
    counts.deprecated_functions += function.deprecated_since.empty() ? 0 : 1;
  }
  for (const Record& record : release.records)
    ++(record.is_union ? counts.unions : counts.structs);
  counts.enums = release.enums.size();
  for (const Enum& entry : release.enums)
    counts.enumerators += entry.enumerators.size();
  counts.typedefs = release.typedefs.size();
  counts.handles = release.handles.size();
  counts.macros = release.macros.size();
  return counts;
}

}  // namespace nvmlab::codegen
