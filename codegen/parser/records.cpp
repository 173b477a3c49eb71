// SPDX-License-Identifier: Apache-2.0
#include "codegen/parser/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "codegen/parser/declarations.hpp"

namespace nvmlab::codegen {
namespace {

bool is_record(CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl;
}

Result<std::uint64_t> bytes(long long value, CXCursor where, const char* what) {
  if (value < 0)
    return clang::fail_at(where, fmt::format("the compiler knows no {} here; the type must be complete", what));
  return static_cast<std::uint64_t>(value);
}

// The identifiers that stand alone between brackets in the field's declaration, one per dimension; empty where it is
// more than a name.
std::vector<std::string> extent_macros(const clang::Unit& unit, CXCursor field) {
  std::vector<std::string> names;
  const std::vector<clang::Token> tokens = unit.tokens(clang_getCursorExtent(field));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text != "[") continue;
    const bool alone = i + 2 < tokens.size() && tokens[i + 2].text == "]" && tokens[i + 1].kind == CXToken_Identifier;
    names.push_back(alone ? tokens[i + 1].text : std::string{});
  }
  return names;
}

Result<std::vector<Extent>> peel_extents(const clang::Unit& unit, CXCursor field, CXType& type) {
  std::vector<Extent> extents;
  while (clang_getCanonicalType(type).kind == CXType_ConstantArray && clang_getArraySize(type) >= 0) {
    extents.push_back({static_cast<std::uint64_t>(clang_getArraySize(type)), {}});
    type = clang_getArrayElementType(type);
  }
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  if (kind == CXType_IncompleteArray || kind == CXType_VariableArray || kind == CXType_ConstantArray) {
    return clang::fail_at(field, "an array without a fixed size; the model knows fixed extents only");
  }
  const std::vector<std::string> names = extent_macros(unit, field);
  if (names.size() == extents.size()) {
    for (std::size_t i = 0; i < names.size(); ++i)
      extents[i].macro = names[i];
  }
  return extents;
}

CXCursor record_of(CXType type) { return clang_getTypeDeclaration(clang_getCanonicalType(type)); }

Result<Field> read_field(const clang::Unit& unit, CXCursor cursor) {
  if (clang_Cursor_isBitField(cursor) != 0)
    return clang::fail_at(cursor, "a bit field; the model knows none, extend it first");
  Field field;
  field.name = clang::take(clang_getCursorSpelling(cursor));
  CXType type = clang_getCursorType(cursor);
  const CXType whole = type;
  auto extents = peel_extents(unit, cursor, type);
  if (!extents) return std::unexpected(extents.error());
  field.extents = std::move(*extents);
  const auto size = bytes(clang_Type_getSizeOf(whole), cursor, "size");
  if (!size) return std::unexpected(size.error());
  field.size = *size;
  const auto bits = bytes(clang_Cursor_getOffsetOfField(cursor), cursor, "offset");
  if (!bits) return std::unexpected(bits.error());
  field.offset = *bits / 8;
  const CXCursor record = record_of(type);
  if (is_record(record) && clang_Cursor_isAnonymous(record) != 0) {
    auto nested = read_record(unit, record);
    if (!nested) return std::unexpected(nested.error());
    field.nested.push_back(std::move(*nested));
    return field;
  }
  auto named = type_of(type, cursor);
  if (!named) return std::unexpected(named.error());
  field.type = std::move(*named);
  return field;
}

// A C11 anonymous member has no FieldDecl; its place is that of its first named field in the enclosing record.
Result<Field> read_anonymous_member(const clang::Unit& unit, CXCursor outer, CXCursor inner) {
  auto nested = read_record(unit, inner);
  if (!nested) return std::unexpected(nested.error());
  if (nested->fields.empty() || nested->fields.front().name.empty()) {
    return clang::fail_at(inner, "an anonymous member whose first field has no name; its offset cannot be asked for");
  }
  const Field& first = nested->fields.front();
  const auto bits = bytes(clang_Type_getOffsetOf(clang_getCursorType(outer), first.name.c_str()), inner, "offset");
  if (!bits) return std::unexpected(bits.error());
  Field field;
  field.offset = *bits / 8 - first.offset;
  field.size = nested->size;
  field.nested.push_back(std::move(*nested));
  return field;
}

}  // namespace

Result<Record> read_record(const clang::Unit& unit, CXCursor definition) {
  Record record;
  record.is_union = clang_getCursorKind(definition) == CXCursor_UnionDecl;
  const CXType type = clang_getCursorType(definition);
  const auto size = bytes(clang_Type_getSizeOf(type), definition, "size");
  if (!size) return std::unexpected(size.error());
  const auto align = bytes(clang_Type_getAlignOf(type), definition, "alignment");
  if (!align) return std::unexpected(align.error());
  record.size = *size;
  record.align = *align;
  record.tag = clang::tag_of(unit, definition);

  std::optional<Error> error;
  const auto keep = [&](Result<Field> field) {
    if (field) {
      record.fields.push_back(std::move(*field));
    } else if (!error) {
      error = std::move(field.error());
    }
  };
  clang::for_each_child(definition, [&](CXCursor child) {
    if (clang_getCursorKind(child) == CXCursor_FieldDecl) {
      keep(read_field(unit, child));
    } else if (is_record(child) && clang_Cursor_isAnonymousRecordDecl(child) != 0) {
      keep(read_anonymous_member(unit, definition, child));
    }
  });
  if (error) return std::unexpected(std::move(*error));
  return record;
}

}  // namespace nvmlab::codegen
