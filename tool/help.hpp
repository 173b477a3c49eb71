// SPDX-License-Identifier: Apache-2.0
// The table of commands as text for people: `--help`, and the pieces that the man page shares with it.
// Tests: tests/unit/tool/commands_test.cpp, tests/tool/help_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "tool/commands.hpp"

namespace nvmlab::tool {

std::string help();                        // of nvmlab as a whole
std::string help(const Command& command);  // of one command
std::string manual();                      // nvmlab(1) in man's macros
std::string version();                     // "nvmlab 0.1.0"

std::string synopsis(const Command& command);  // "nvmlab up [OPTION]... [NAME]"
std::string label(const Option& option);       // "-g, --gpus N"
std::vector<const Command*> visible_commands();

}  // namespace nvmlab::tool
