// SPDX-License-Identifier: Apache-2.0
// Programs that draw on a terminal: one that script(1) makes for them, and what they drew as plain text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>

#include <fmt/format.h>

#include "tests/support/process.hpp"

namespace nvmlab::test {

// Without what moves the cursor and changes colours.
inline std::string plain(const std::string& drawn) {
  static const std::regex escapes{"\x1b\\[[0-9;?]*[a-zA-Z]|\x1b[()].|\x1b[=>]|[\r\x0e\x0f]"};
  std::string text = std::regex_replace(drawn, escapes, " ");
  std::ranges::replace(text, '\n', ' ');
  // By hand: a regular expression takes stack for each blank of a gap, and a screen may be one large gap.
  const auto rest = std::ranges::unique(text, [](char a, char b) { return a == ' ' && b == ' '; });
  text.erase(rest.begin(), rest.end());
  return text;
}

// Runs a program that draws until `shown` returns true of what it has drawn, as plain text; then types the key q, by
// which such programs end, again and again. The program finds its settings in `home`, and none of the user's.
inline Outcome draw(const std::string& program, const std::filesystem::path& home,
                    std::map<std::string, std::optional<std::string>> environment,
                    const std::function<bool(const std::string&)>& shown) {
  Command command;
  command.arguments = {"script", "-qec", fmt::format("stty rows 120 cols 220; exec {}", program), "/dev/null"};
  environment["TERM"] = "xterm";
  environment["LC_ALL"] = "C.UTF-8";
  environment["HOME"] = home.string();
  environment["XDG_CONFIG_HOME"] = home.string();
  command.environment = std::move(environment);
  command.enough = [&shown](const std::string& drawn, pid_t) { return shown(plain(drawn)); };
  command.ending = "q";
  return run(command);
}

}  // namespace nvmlab::test
