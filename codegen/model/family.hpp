// SPDX-License-Identifier: Apache-2.0
// Version families of functions: nvmlX, nvmlX_v2, nvmlX_v3. Which one a plain `nvmlX` in a C program calls is decided
// by the header's alias macros. Covered by tests/unit/codegen/family_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/model/facts.hpp"

namespace nvmlab::codegen {

// "nvmlX_v2" -> "nvmlX" and 2; a plain name is version 1 of itself.
struct FamilyName {
  std::string base;
  unsigned version = 1;
  bool suffixed = false;
};
FamilyName family_of(std::string_view function);

// The functions of a release with this base, by version.
std::vector<const Function*> members(const Release& release, std::string_view base);

// What a plain name means to a C program that includes this header: the alias macro's target, else the name itself.
std::string meaning_in_c(const Release& release, std::string_view name);

}  // namespace nvmlab::codegen
