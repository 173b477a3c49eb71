// SPDX-License-Identifier: Apache-2.0
// All commands as a man page, in the classic macros that every troff and mandoc reads.
// Tests: tests/unit/command/commands_test.cpp, and tests/command/help_test.cpp where man itself is installed.
#include <fmt/format.h>

#include "command/cli/help.hpp"

namespace nvmlab::tool {
namespace {

// Text that troff must not read as a request, and hyphens that stay hyphens when copied.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    out += fmt::format(".PP\n{}\n", roff(text.substr(0, end)));
    text = end == std::string_view::npos ? "" : text.substr(end + 2);
  }
  return out;
}

std::string item(std::string_view name, std::string_view says) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(says));
}

std::string page_of(const ReadyCommand& command) {
  const Command& text = command.text();
  std::string out = fmt::format(".SS {}\n.B {}\n", roff(text.name), roff(synopsis(command)));
  out += paragraphs(text.about);
  for (const OptionText& argument : command.line().arguments())
    out += item(argument.name, argument.help);
  for (const OptionText& option : command.line().options()) {
    if (option.name != "--help") out += item(label(option), option.help);
  }
  for (const Example& example : text.examples) {
    out += fmt::format(".PP\n{}:\n.RS\n.nf\n{}\n.fi\n.RE\n", roff(example.says), roff(example.command));
  }
  return out;
}

}  // namespace

std::string manual(const Application& application) {
  std::string out =
      fmt::format(".\\\" SPDX-License-Identifier: Apache-2.0\n.TH NVMLAB 1 \"\" \"{}\" \"User Commands\"\n", version());
  out += ".nh\n.ad l\n";  // names must stay whole, so that they can be searched for and copied
  out +=
      ".SH NAME\nnvmlab \\- run programs on simulated NVIDIA GPUs\n.SH SYNOPSIS\n.B nvmlab\n\\fICOMMAND\\fR "
      "[\\fIARGUMENT\\fR]...\n";
  out += ".SH DESCRIPTION\n" + paragraphs(about_nvmlab());
  out += ".SH COMMANDS\n";
  for (const ReadyCommand* command : application.visible())
    out += page_of(*command);
  out += ".SH OPTIONS\n";
  for (const OptionText& option : application.line().options())
    out += item(label(option), option.help);
  out += ".SH ENVIRONMENT\n";
  for (const Variable& variable : variables())
    out += item(variable.name, variable.help);
  out += ".SH EXIT STATUS\n";
  for (const ExitCode& exit : exit_codes())
    out += item(exit.code, exit.help);
  return out;
}

}  // namespace nvmlab::tool
