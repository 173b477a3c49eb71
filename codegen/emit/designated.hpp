// SPDX-License-Identifier: Apache-2.0
// Rows of generated tables as designated initialisers, without what is at its default: "{.name = "fan", .size = 4}".
// Covered by tests/unit/codegen/columns_test.cpp.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace nvmlab::codegen {

class Designated {
 public:
  // In the order of the members. A value that reads like `usual`, the member's own initialiser, is left out.
  template <class Value>
  Designated& with(std::string_view member, const Value& value, std::string_view usual = "") {
    const std::string text = fmt::format("{}", value);
    if (text != usual) text_ += fmt::format("{}.{} = {}", text_.empty() ? "" : ", ", member, text);
    return *this;
  }

  Designated& named(std::string_view name) { return with("name", fmt::format("\"{}\"", name)); }

  std::string row() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace nvmlab::codegen
