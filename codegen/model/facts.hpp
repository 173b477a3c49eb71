// SPDX-License-Identifier: Apache-2.0
// The typed model of one NVML header: plain values, in the words of the C language, with nothing of the header's prose.
// Layouts are those of x86_64 Linux. Every list of a Release is sorted by name, so that two releases can be compared
// side by side; members, parameters and fields keep the declared order, enumerators are sorted by value (equal values
// keep the declared order). The parser fills it, the registry stores it, the emitters read it. Covered by
// tests/unit/codegen/{facts_test,parser_test,registry_test}.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

// `const char*`: base "char", constant, one pointer. NVML knows no const pointers and no function pointers.
struct Type {
  std::string base;
  bool constant = false;
  unsigned pointers = 0;

  std::string text() const;
  bool is_void() const { return base == "void" && pointers == 0; }
  bool operator==(const Type&) const = default;
};

// Reads back what Type::text() writes.
Result<Type> parse_type(std::string_view text);

// One array dimension; `macro` is the name of the constant that the header gives, if it gives one.
struct Extent {
  std::uint64_t count = 0;
  std::string macro;
  bool operator==(const Extent&) const = default;
};

struct Parameter {
  std::string name;
  Type type;
  bool operator==(const Parameter&) const = default;
};

struct Function {
  std::string name;
  Type returns;
  std::vector<Parameter> parameters;
  std::string deprecated_since;  // "13.0"; empty: not marked
  bool guarded = false;          // declared only with NVML_NO_UNVERSIONED_FUNC_DEFS: a legacy v1 name

  bool same_signature(const Function& other) const;  // types only; the names of parameters do not matter
  bool operator==(const Function&) const = default;
};

struct Record;

// A field with a nested anonymous record has an empty type.base and exactly one element in `nested`; a C11 anonymous
// member has an empty name as well.
struct Field {
  std::string name;
  Type type;
  std::vector<Extent> extents;  // outermost first
  std::uint64_t offset = 0;     // bytes from the start of the directly enclosing record
  std::uint64_t size = 0;
  std::vector<Record> nested;

  bool operator==(const Field& other) const;
};

struct Record {
  std::string name;  // the typedef's name; the tag where there is no typedef; empty for nested anonymous records
  std::string tag;   // empty: declared without one
  bool is_union = false;
  std::uint64_t size = 0;
  std::uint64_t align = 0;
  std::vector<Field> fields;

  bool has_version() const { return !fields.empty() && fields.front().name == "version"; }
  bool operator==(const Record& other) const;
};

struct Enumerator {
  std::string name;
  std::int64_t value = 0;
  bool operator==(const Enumerator&) const = default;
};

struct Enum {
  std::string name;
  std::string tag;
  std::string underlying;  // "int" or "unsigned int"
  std::vector<Enumerator> enumerators;
  bool operator==(const Enum&) const = default;
};

// Another name for a type: a version alias (nvmlPdi_t -> nvmlPdi_v1_t) or a scalar (nvmlVgpuTypeId_t -> unsigned int).
struct Typedef {
  std::string name;
  Type target;
  bool operator==(const Typedef&) const = default;
};

// typedef struct TAG* NAME, where the struct is never defined.
struct Handle {
  std::string name;
  std::string tag;
  bool operator==(const Handle&) const = default;
};

enum class MacroKind {
  empty,           // defined as nothing
  integer,         // one literal, maybe in parentheses or with a sign
  struct_version,  // NVML_STRUCT_VERSION(X, N): sizeof(nvmlX_vN_t) | N << 24
  alias,           // another name for a function, a type, an enumerator or a macro; text is that name
  string,          // text is the literal with its quotes
  expression,      // anything else that has a value
  bit_range,       // HIGH:LOW, as NVIDIA's register macros have it
  function_like,   // text is the parameter list; the body is code, not a fact: only its fingerprint is kept
  attribute        // DECLDIR and the like: text without a value
};

std::string_view name_of(MacroKind kind);
std::optional<MacroKind> macro_kind_of(std::string_view name);

// The value of a constant expression: `bits` is the value as 64-bit two's complement, `type` the C type of the
// expression.
struct Constant {
  std::uint64_t bits = 0;
  std::string type;

  bool is_unsigned() const { return type.starts_with("unsigned"); }
  std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
  std::string text() const;  // decimal
  bool operator==(const Constant&) const = default;
};

struct Macro {
  std::string name;
  MacroKind kind = MacroKind::empty;
  std::string text;
  std::optional<Constant> value;  // also for an alias of something that has one
  bool unguarded = false;         // defined only without NVML_NO_UNVERSIONED_FUNC_DEFS: an automatic upgrade
  bool operator==(const Macro&) const = default;
};

struct Release {
  std::string version;
  std::string sha256;  // of the header file
  std::vector<Function> functions;
  std::vector<Record> records;
  std::vector<Enum> enums;
  std::vector<Typedef> typedefs;
  std::vector<Handle> handles;
  std::vector<Macro> macros;
  bool operator==(const Release&) const = default;
};

// Looks a name up in one of the sorted lists of a Release; null if absent.
template <class T>
const T* find(const std::vector<T>& sorted, std::string_view name) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), name,
                                   [](const T& entry, std::string_view wanted) { return entry.name < wanted; });
  return at != sorted.end() && at->name == name ? &*at : nullptr;
}

struct Counts {
  std::uint64_t functions = 0;
  std::uint64_t guarded_functions = 0;
  std::uint64_t deprecated_functions = 0;
  std::uint64_t structs = 0;
  std::uint64_t unions = 0;
  std::uint64_t enums = 0;
  std::uint64_t enumerators = 0;
  std::uint64_t typedefs = 0;
  std::uint64_t handles = 0;
  std::uint64_t macros = 0;
  bool operator==(const Counts&) const = default;
};

Counts count(const Release& release);

}  // namespace nvmlab::codegen
