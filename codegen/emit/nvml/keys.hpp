// SPDX-License-Identifier: Apache-2.0
// Members of a struct that the caller gives: they become parameters of the method.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen::methods {

struct Key {
  std::string member;    // in C
  std::string declared;  // "FanIndex fan"; empty: the object itself is the key
  std::string fill;      // after the name of the C struct: ".fan = fan;"
};

struct Keys {
  std::vector<Key> all;
  std::set<std::string> headers;

  bool has(std::string_view member) const;
  std::string filled(std::string_view variable) const;  // the statements
};

// Those that the row names, of the one struct that goes in and out.
Result<Keys> keys_of(const Writing& writing, const Method& method);

// What rows say that a member of a struct is: "percent"; empty: nothing beyond its C type.
std::string member_kind(const Writing& writing, const Record& record, std::string_view member);

}  // namespace nvmlab::codegen::methods
