// SPDX-License-Identifier: Apache-2.0
//
// What the user typed behind a command, and the parser that the table of commands makes of CLI11.
// Tests: tests/unit/tool/arguments_test.cpp.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/commands.hpp"

namespace nvmlab::tool {

class Arguments {
 public:
  // The last one given; an empty value counts as given.
  std::optional<std::string> option(std::string_view name) const;
  bool flag(std::string_view name) const { return option(name).has_value(); }
  std::string option_or(std::string_view name, std::string_view other) const;

  const std::vector<std::string>& all(std::string_view argument) const;
  std::optional<std::string> one(std::string_view argument) const;

  std::map<std::string, std::vector<std::string>, std::less<>> values;  // by option or argument; flags hold ""
  std::vector<std::string> command;                                     // of `run`
};

struct Parsed {
  const Command* command = nullptr;  // null: none was named
  Arguments arguments;
  bool help = false;
  bool version = false;
};

// `words` without the program's name. The error is a sentence for the user.
std::expected<Parsed, std::string> parse(const std::vector<std::string>& words);

}  // namespace nvmlab::tool
