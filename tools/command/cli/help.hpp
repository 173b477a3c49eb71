// SPDX-License-Identifier: Apache-2.0
//
// Commands as text for people: `--help`, the man page, and what both say around the commands.
// Tests: tests/unit/command/commands_test.cpp, tests/command/help_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command/cli/application.hpp"

namespace nvmlab::tool {

std::string help(const Application& application);
std::string usage(const Application& application);  // its first part: what nvmlab is, and the commands
std::string help(const ReadyCommand& command);
std::string manual(const Application& application);  // nvmlab(1) in man's macros
std::string version();                               // "nvmlab 0.1.0"

std::string synopsis(const ReadyCommand& command);  // "nvmlab up [OPTION]... [NAME]"
std::string label(const OptionText& option);        // "-g, --gpus N"

struct Variable {
  std::string_view name;
  std::string_view help;
};
std::span<const Variable> variables();  // of the environment
// Variables of the environment that look like ours and are none: "NVMLAB_PROFIL: ...; did you mean 'NVMLAB_PROFILE'?"
std::vector<std::string> misspelt_variables();

struct ExitCode {
  std::string_view code;
  std::string_view help;
};
std::span<const ExitCode> exit_codes();

std::string_view about_nvmlab();

}  // namespace nvmlab::tool
