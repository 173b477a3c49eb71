// SPDX-License-Identifier: Apache-2.0
// What a name stands for within the braces of a function. Tests: tests/unit/kernels/parser_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nvmlab::ptx {

struct RegisterName {
  std::uint32_t first = 0;
  std::uint32_t count = 1;  // of "%r<10>"
  std::uint32_t lanes = 1;  // of ".v4"
};

struct Scope {
  std::uint32_t begin = 0;  // first instruction within
  std::unordered_map<std::string_view, RegisterName> registers;
  std::unordered_map<std::string_view, RegisterName> families;
  std::unordered_map<std::string_view, std::uint32_t> variables;
  std::unordered_map<std::string_view, std::uint32_t> labels;
};

class Scopes {
 public:
  std::vector<Scope> open;

  // The one of this name, or member of "%r<10>".
  std::optional<RegisterName> find_register(std::string_view name) const {
    for (std::size_t i = open.size(); i-- > 0;) {
      const auto exact = open[i].registers.find(name);
      if (exact != open[i].registers.end()) return exact->second;
      if (const auto member = member_of(open[i], name)) return member;
    }
    return std::nullopt;
  }

  std::optional<std::uint32_t> find_variable(std::string_view name) const {
    for (std::size_t i = open.size(); i-- > 0;) {
      const auto found = open[i].variables.find(name);
      if (found != open[i].variables.end()) return found->second;
    }
    return std::nullopt;
  }

 private:
  // A family's name may itself end in digits, so all ways to split are tried.
  static std::optional<RegisterName> member_of(const Scope& scope, std::string_view name) {
    if (scope.families.empty()) return std::nullopt;
    std::uint64_t index = 0;
    std::uint64_t place = 1;
    for (std::size_t at = name.size(); at-- > 1 && name.size() - at <= 9;) {
      const char digit = name[at];
      if (digit < '0' || digit > '9') break;
      index += static_cast<std::uint64_t>(digit - '0') * place;
      place *= 10;
      if (digit == '0' && at + 1 < name.size()) continue;  // members have no leading zeros
      const auto family = scope.families.find(name.substr(0, at));
      if (family == scope.families.end() || index >= family->second.count) continue;
      const RegisterName& of = family->second;
      return RegisterName{of.first + static_cast<std::uint32_t>(index) * of.lanes, 1, of.lanes};
    }
    return std::nullopt;
  }
};

}  // namespace nvmlab::ptx
