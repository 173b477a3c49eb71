// SPDX-License-Identifier: Apache-2.0
// The members of a typed struct: what all its C layouts have, each under one name with one type. Covered by
// tests/unit/codegen/binding_members_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "codegen/binding/types.hpp"

namespace nvmlab::codegen {

struct TypedMember {
  enum class Shape {
    plain,
    text,     // char[N], std::string
    array,    // T[N], std::array
    counted,  // T[N] and a count, std::vector
    list,     // T[N] without a count, std::vector of N
  };

  std::string name;
  Shape shape{};
  Typed element;
  std::uint64_t extent = 0;
  bool optional = false;  // it has a sentinel, or a layout lacks it
  std::string nothing;    // the sentinel
  std::string otherwise;  // nvml::detail's function that gives it where a layout lacks it
  std::string says;
  std::vector<std::string> c_names;  // by layout; empty: that layout lacks it
  std::vector<std::string> counts;   // of `counted`, by layout

  std::string type() const;  // as the struct declares it
};

// In the order of the newest layout; what older ones have alone comes last.
Result<std::vector<TypedMember>> members_of(const BindingTypes& types, const TypedStruct& from);

}  // namespace nvmlab::codegen
