// SPDX-License-Identifier: Apache-2.0
#include "codegen/parser/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/parser/records.hpp"

namespace nvmlab::codegen {
namespace {

using clang::place_of;
using clang::take;

CXCursor definition_of(CXType type) {
  return clang_getCursorDefinition(clang_getTypeDeclaration(clang_getCanonicalType(type)));
}

bool has_definition(CXType type) { return clang_Cursor_isNull(definition_of(type)) == 0; }

// Where a definition stands; identifies it within one parse.
unsigned key_of(CXCursor definition) { return place_of(definition).offset; }

// Collects the declarations of one header; the first problem stops it.
class DeclarationReader {
 public:
  DeclarationReader(const clang::Unit& unit, const std::string& header, Release& release)
      : unit_(unit), header_(header), release_(release) {}

  std::expected<void, Error> run() {
    note_deprecations();
    clang::for_each_child(unit_.root(), [this](CXCursor cursor) {
      if (error_ || place_of(cursor).file != header_) return;
      if (auto read = visit(cursor); !read) error_ = std::move(read.error());
    });
    if (!error_) {
      if (auto read = keep_unnamed(); !read) error_ = std::move(read.error());
    }
    if (error_) return std::unexpected(std::move(*error_));
    spell_tags_as_typedefs();
    return {};
  }

 private:
  std::expected<void, Error> visit(CXCursor cursor) {
    switch (clang_getCursorKind(cursor)) {
      case CXCursor_FunctionDecl:
        return read_function(cursor);
      case CXCursor_TypedefDecl:
        return read_typedef(cursor);
      case CXCursor_StructDecl:
      case CXCursor_UnionDecl:
      case CXCursor_EnumDecl:
        if (clang_isCursorDefinition(cursor) != 0) definitions_.emplace(key_of(cursor), cursor);
        return {};
      case CXCursor_VarDecl:
        return clang::fail_at(cursor, "a variable; the model knows none in this header");
      default:
        return {};
    }
  }

  // DEPRECATED(x.y) stands before a declaration; the compiler only sees the attribute, so the argument is read where
  // the macro was used.
  void note_deprecations() {
    clang::for_each_child(unit_.root(), [this](CXCursor cursor) {
      if (clang_getCursorKind(cursor) != CXCursor_MacroExpansion || place_of(cursor).file != header_) return;
      if (take(clang_getCursorSpelling(cursor)) != "DEPRECATED") return;
      std::string argument;
      for (const clang::Token& token : unit_.tokens(clang_getCursorExtent(cursor))) {
        if (token.kind == CXToken_Literal) argument = token.text;
      }
      deprecations_[place_of(cursor).offset] = std::move(argument);
    });
  }

  // The last DEPRECATED between the previous function's name and this one's.
  std::string deprecated_since(unsigned name_offset) {
    auto after = deprecations_.upper_bound(name_offset);
    const unsigned previous = std::exchange(previous_function_, name_offset);
    if (after == deprecations_.begin() || std::prev(after)->first < previous) return {};
    return std::prev(after)->second;
  }

  std::expected<void, Error> read_function(CXCursor cursor) {
    Function function;
    function.name = take(clang_getCursorSpelling(cursor));
    function.deprecated_since = deprecated_since(place_of(cursor).offset);
    if (clang_getCursorAvailability(cursor) == CXAvailability_Deprecated && function.deprecated_since.empty()) {
      return clang::fail_at(cursor, fmt::format("{} is deprecated but not by DEPRECATED(version)", function.name));
    }
    if (clang_Cursor_isVariadic(cursor) != 0)
      return clang::fail_at(cursor, "a variadic function; the model knows none");
    auto returns = type_of(clang_getCursorResultType(cursor), cursor);
    if (!returns) return std::unexpected(returns.error());
    function.returns = std::move(*returns);
    const int count = clang_Cursor_getNumArguments(cursor);
    for (int i = 0; i < count; ++i) {
      const CXCursor argument = clang_Cursor_getArgument(cursor, static_cast<unsigned>(i));
      auto type = type_of(clang_getCursorType(argument), argument);
      if (!type) return std::unexpected(type.error());
      function.parameters.push_back({take(clang_getCursorSpelling(argument)), std::move(*type)});
    }
    release_.functions.push_back(std::move(function));
    return {};
  }

  std::expected<void, Error> read_typedef(CXCursor cursor) {
    const std::string name = take(clang_getCursorSpelling(cursor));
    const CXType target = clang_getTypedefDeclUnderlyingType(cursor);
    const CXType canonical = clang_getCanonicalType(target);
    const CXType pointee = clang_getPointeeType(canonical);
    if (canonical.kind == CXType_Pointer && pointee.kind == CXType_Record && !has_definition(pointee)) {
      release_.handles.push_back({name, take(clang_getCursorSpelling(clang_getTypeDeclaration(pointee)))});
      return {};
    }
    const bool direct = canonical.kind == CXType_Record || canonical.kind == CXType_Enum;
    if (direct && !has_definition(target)) {
      return clang::fail_at(cursor, fmt::format("{} names a type that is never defined", name));
    }
    if (direct && !names_another_typedef(target)) {
      const CXCursor definition = definition_of(target);
      const auto [claim, first] = claimed_.emplace(key_of(definition), name);
      if (first) return read_definition(definition, name);
      release_.typedefs.push_back({name, Type{claim->second, false, 0}});
      return {};
    }
    auto type = type_of(target, cursor);
    if (!type) return std::unexpected(type.error());
    release_.typedefs.push_back({name, std::move(*type)});
    return {};
  }

  // `typedef nvmlA_v1_t nvmlA_t;`, as opposed to `typedef struct tag nvmlA_t;`.
  static bool names_another_typedef(CXType target) {
    const std::string spelling = take(clang_getTypeSpelling(target));
    const std::string declared = take(clang_getCursorSpelling(clang_getTypeDeclaration(target)));
    return clang_getCursorKind(clang_getTypeDeclaration(target)) == CXCursor_TypedefDecl && spelling == declared;
  }

  std::expected<void, Error> read_definition(CXCursor definition, const std::string& name) {
    if (clang_getCursorKind(definition) == CXCursor_EnumDecl) return read_enum(definition, name);
    auto record = read_record(unit_, definition);
    if (!record) return std::unexpected(record.error());
    record->name = name;
    release_.records.push_back(std::move(*record));
    return {};
  }

  std::expected<void, Error> read_enum(CXCursor definition, const std::string& name) {
    Enum entry;
    entry.name = name;
    entry.tag = clang::tag_of(unit_, definition);
    entry.underlying = take(clang_getTypeSpelling(clang_getEnumDeclIntegerType(definition)));
    clang::for_each_child(definition, [&entry](CXCursor child) {
      if (clang_getCursorKind(child) != CXCursor_EnumConstantDecl) return;
      const bool is_unsigned = entry.underlying.starts_with("unsigned");
      const auto value = is_unsigned ? static_cast<std::int64_t>(clang_getEnumConstantDeclUnsignedValue(child))
                                     : static_cast<std::int64_t>(clang_getEnumConstantDeclValue(child));
      // By value; equal values in declared order.
      const auto place = std::ranges::upper_bound(entry.enumerators, value, {}, &Enumerator::value);
      entry.enumerators.insert(place, {take(clang_getCursorSpelling(child)), value});
    });
    release_.enums.push_back(std::move(entry));
    return {};
  }

  // Definitions that no typedef named keep their tag as name.
  std::expected<void, Error> keep_unnamed() {
    for (const auto& [key, definition] : definitions_) {
      if (claimed_.contains(key)) continue;
      const std::string tag = clang::tag_of(unit_, definition);
      if (tag.empty()) return clang::fail_at(definition, "a struct, union or enum without any name");
      if (auto read = read_definition(definition, tag); !read) return read;
    }
    return {};
  }

  // `struct nvmlX_st` inside a declaration means the typedef that names it.
  void spell_tags_as_typedefs() {
    std::map<std::string, std::string> names;
    for (const Record& record : release_.records) {
      if (!record.tag.empty()) names[(record.is_union ? "union " : "struct ") + record.tag] = record.name;
    }
    for (const Enum& entry : release_.enums) {
      if (!entry.tag.empty()) names["enum " + entry.tag] = entry.name;
    }
    const auto respell = [&names](Type& type) {
      if (const auto at = names.find(type.base); at != names.end()) type.base = at->second;
    };
    for (Function& function : release_.functions) {
      respell(function.returns);
      for (Parameter& parameter : function.parameters)
        respell(parameter.type);
    }
    for (Record& record : release_.records) {
      for (Field& field : record.fields)
        respell(field.type);
    }
    for (Typedef& entry : release_.typedefs)
      respell(entry.target);
  }

  const clang::Unit& unit_;
  const std::string& header_;
  Release& release_;
  std::map<unsigned, std::string> deprecations_;
  std::map<unsigned, CXCursor> definitions_;
  std::map<unsigned, std::string> claimed_;
  unsigned previous_function_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Type> type_of(CXType type, CXCursor where) {
  unsigned pointers = 0;
  while (type.kind == CXType_Pointer) {
    if (clang_isConstQualifiedType(type) != 0)
      return clang::fail_at(where, "a const pointer; the model knows pointers to const only");
    type = clang_getPointeeType(type);
    ++pointers;
  }
  if (clang_getCanonicalType(type).kind == CXType_FunctionProto)
    return clang::fail_at(where, "a pointer to a function; the model knows none");
  auto parsed = parse_type(take(clang_getTypeSpelling(type)));
  if (!parsed) return clang::fail_at(where, parsed.error().message);
  parsed->pointers = pointers;
  return parsed;
}

std::expected<void, Error> read_declarations(const clang::Unit& unit, const std::string& header, Release& release) {
  return DeclarationReader(unit, header, release).run();
}

std::set<std::string> function_names(const clang::Unit& unit, const std::string& header) {
  std::set<std::string> names;
  clang::for_each_child(unit.root(), [&](CXCursor cursor) {
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl && place_of(cursor).file == header) {
      names.insert(take(clang_getCursorSpelling(cursor)));
    }
  });
  return names;
}

}  // namespace nvmlab::codegen
