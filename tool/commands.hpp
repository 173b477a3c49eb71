// SPDX-License-Identifier: Apache-2.0
//
// The one table of the command line. A row says everything about a command; the parser, `--help`, the man page and the
// completion of three shells are made from it, so none of them can know an option that another does not. A new command
// is one file in tool/commands/ and one row in commands.cpp. Tests: tests/unit/tool/commands_test.cpp.
#pragma once

#include <span>
#include <string_view>

namespace nvmlab::tool {

class Arguments;

// What a shell offers after <TAB>.
enum class Complete : unsigned char {
  nothing,
  profile,
  machine,
  driver,
  gpu,
  field,
  assignment,
  log_level,
  role,
  shell,
  file,
  command
};

struct Option {
  std::string_view name;        // "--profile"
  std::string_view short_name;  // "-p", or empty
  std::string_view value;       // "PROFILE", or empty for a flag
  std::string_view help;        // one sentence without a full stop
  Complete complete = Complete::nothing;
};

struct Argument {
  std::string_view name;  // "PATH"
  std::string_view help;
  Complete complete = Complete::nothing;
  bool required = false;
  bool many = false;
};

struct Example {
  std::string_view command;
  std::string_view says;
};

struct Command {
  std::string_view name;     // "up"; "profiles show" is a command below "profiles"
  std::string_view summary;  // one line for the list of commands
  std::string_view about;    // paragraphs, parted by empty lines
  std::span<const Argument> arguments;
  std::span<const Option> options;
  std::span<const Example> examples;
  int (*run)(const Arguments& arguments);
  bool takes_command = false;  // everything from the first word that is no option on is somebody else's
  bool hidden = false;         // for build scripts and completion; in no list
  int trouble = 1;             // exit code where its work could not be done at all
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

// Options before the command, and the page around all commands.
std::span<const Option> global_options();
std::span<const Option> common_options();  // that every command has
struct Variable {
  std::string_view name;
  std::string_view help;
};
std::span<const Variable> variables();  // of the environment
struct ExitCode {
  std::string_view code;
  std::string_view help;
};
std::span<const ExitCode> exit_codes();
std::string_view about_nvmlab();

inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kMisused = 2;
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;

}  // namespace nvmlab::tool
