// SPDX-License-Identifier: Apache-2.0
// The typed values of the binding: which C++ type stands for which C type. Made from the facts and the rows of
// model/binding/types/*.yaml (its README.md describes them). Covered by tests/unit/codegen/binding_types_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// How a value crosses between C and C++. All but `handle` convert by detail::from_c(c, typed) and detail::to_c(typed,
// c).
enum class Category {
  number,       // unsigned, int, std::uint64_t, double ...
  flag,         // bool
  unit,         // Milliwatts
  chrono,       // std::chrono::microseconds, Timestamp
  enumeration,  // Brand
  mask,         // ClocksEventReasons
  structure,    // Memory
  handle,       // Device: an object, made of a handle and a share of the library
  text,         // std::string
};

struct Typed {
  std::string name;  // as it is spelled within namespace nvml
  Category category{};
  std::string header;  // that has the type, "nvmlab/nvml/generated/values_memory.hpp"; empty: of the language
};

struct TypedEnumerator {
  std::string name;
  std::string c_name;  // NVML_BRAND_TESLA, as the header spells it
  std::string says;    // empty where the name says all
  std::uint64_t bits = 0;
  bool repeated = false;  // an earlier one has this value
};

// A scoped enumeration; of a C enum or of a group of macros.
struct TypedEnum {
  std::string name;
  std::string set;         // a flag each: the name of their set
  std::string c_type;      // nvmlBrandType_t, nvmlPowerSource_t; empty: any number whose row says so
  std::string underlying;  // as C++ spells it
  std::string says;
  std::string header;
  std::vector<TypedEnumerator> enumerators;  // by value; equal values as declared
};

// One C layout of a typed struct.
struct CLayout {
  std::string name;          // within nvml::abi: "nvmlMemory_v2_t", "historic::nvmlProcessInfo_t_before_11_1"
  std::string version_word;  // the expression for its first member; empty: it has none
  Record record;
};

// What a row says about a member, in the row's words.
struct MemberRow {
  std::string name;     // in C++; empty: derived
  std::string kind;     // unit, flag, `enum NAME`, `mask NAME`, `bytes`, `skip` ...; empty: by the C type
  std::string nothing;  // the sentinel, a C++ expression
  std::string says;
  std::vector<std::string> count_of;  // this member counts the elements of those
  std::vector<std::string> also;      // names of the same member in other layouts
  std::string otherwise;              // nvml::detail's function that gives it where a layout lacks it
};

struct TypedStruct {
  std::string name;
  std::string says;
  std::string topic;
  std::string shape;   // empty: derived; `hand`: written by a person; `none`: no value, the methods take it apart
  std::string header;  // of a hand-written one, within binding/
  std::vector<CLayout> layouts;           // newest first
  std::map<std::string, MemberRow> rows;  // by C member
};

// C's enumeration of disabled and enabled, a bool in C++.
inline constexpr std::string_view kYesOrNo = "nvmlEnableState_t";

class BindingTypes {
 public:
  static Result<BindingTypes> load(const Inputs& inputs);

  // `kind` is what a row says about a number, and empty for what the C type tells by itself: a unit ("milliwatts",
  // "microseconds" ...), "flag", "timestamp", "enum NAME", "mask NAME",
  // "class NAME" (hand-written, with raw()), "id NAME" (of nvml/ids.hpp). Pointers and const are looked through: what
  // matters is the type of one element; char behind a pointer is a text.
  Result<Typed> typed(const Type& c, std::string_view kind = {}) const;
  Result<std::string> typed_name(const Type& c, std::string_view kind = {}) const;

  const std::vector<TypedEnum>& enums() const { return enums_; }
  const std::vector<TypedStruct>& structs() const { return structs_; }

  const TypedEnum* enum_named(std::string_view name) const;  // also by the name of its set
  const TypedEnum* enum_of(std::string_view c_type) const;
  const TypedStruct* struct_of(std::string_view c_struct) const;  // also nvmlMemory_t of an alias, and historic::
  const TypedStruct* struct_named(std::string_view name) const;

 private:
  friend class TypesReader;
  Release newest_;
  std::vector<TypedEnum> enums_;      // by name
  std::vector<TypedStruct> structs_;  // by name
};

// Milliwatts and all others with a unit.
std::vector<std::string> quantities();

// "totalMemoryMB" -> "total_memory_mb", "FBCSession" -> "fbc_session".
std::string snake_case(std::string_view camel);

// "nvmlVgpuTypeBar1Info_v1_t" -> "VgpuTypeBar1Info".
std::string derived_type_name(std::string_view c_type);

}  // namespace nvmlab::codegen
