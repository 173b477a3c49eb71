// SPDX-License-Identifier: Apache-2.0
//
// What a command of nvmlab is: its texts, and a struct whose members are its options. A command is one file in
// tools/command/commands/ that defines a `Command`, and one row in tools/command/commands/table.cpp. It declares its
// options on a CommandLine; the parser, `--help`, the man page and the completion of three shells all read that, so
// none of them can know an option that another does not. Tests: tests/unit/command/commands_test.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "command/cli/command_line.hpp"

namespace nvmlab::tool {

using Run = std::function<int()>;  // returns the exit code

struct Example {
  std::string_view command;
  std::string_view says;
};

struct Command {
  std::string_view name;     // "up"; "profiles show" is a command below "profiles"
  std::string_view summary;  // one line for the list of commands
  std::string_view about;    // paragraphs, parted by empty lines
  std::span<const Example> examples = {};
  Run (*declare)(CommandLine& line) = nullptr;  // declared<Struct>
  bool hidden = false;                          // for build scripts and completion; in no list
  int trouble = 1;                              // exit code where its work could not be done at all
  bool not_in_scenarios = false;                // though it has --machine: it waits, or tells of processes of the host
};

// For Command::declare: `Options` has declare(CommandLine&), which binds its members, and run(), which does the work.
template <class Options>
Run declared(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  options->declare(line);
  return [options] { return options->run(); };
}

}  // namespace nvmlab::tool
