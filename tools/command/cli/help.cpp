// SPDX-License-Identifier: Apache-2.0
#include "command/cli/help.hpp"

#include <fmt/format.h>

#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

struct Entry {
  std::string left;
  std::string right;
};

// Two columns: names, and behind them what they mean in as many lines as it takes.
std::string entry_columns(const std::vector<Entry>& entries) {
  std::size_t left = 0;
  for (const Entry& entry : entries)
    left = std::max(left, width(entry.left));
  std::string out;
  for (const Entry& entry : entries) {
    std::string right = wrap(entry.right, left + 4);
    right.replace(0, left + 4, fmt::format("  {:{}}  ", entry.left, left));
    out += right;
  }
  return out;
}

std::vector<Entry> entries_of(const CommandLine& line) {
  std::vector<Entry> entries;
  for (const OptionText& option : line.options())
    entries.push_back({label(option), option.help});
  return entries;
}

std::string section(std::string_view title, const std::vector<Entry>& entries) {
  return entries.empty() ? "" : fmt::format("\n{}\n{}", heading(title), entry_columns(entries));
}

}  // namespace

std::string version() { return "nvmlab " NVMLAB_VERSION; }

std::string label(const OptionText& option) {
  std::string text = option.short_name.empty() ? "" : fmt::format("{}, ", option.short_name);
  text += option.name;
  if (!option.value.empty()) text += fmt::format(" {}", option.value);
  if (!option.optional_value.empty()) text += fmt::format("[={}]", option.optional_value);
  return text;
}

std::string synopsis(const ReadyCommand& command) {
  std::string text = fmt::format("nvmlab {}", command.text().name);
  if (command.line().options().size() > 1) text += " [OPTION]...";  // more than --help
  if (command.line().takes_command()) text += " [--]";
  for (const OptionText& argument : command.line().arguments()) {
    const std::string name = (argument.trailing ? "-- " : "") + argument.name + (argument.many ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string help(const ReadyCommand& command) {
  std::string text = fmt::format("{} {}\n\n{}", heading("Usage:"), synopsis(command), wrap(command.text().about, 0));
  std::vector<Entry> arguments;
  for (const OptionText& argument : command.line().arguments())
    arguments.push_back({argument.name, argument.help});
  text += section("Arguments:", arguments);
  text += section("Options:", entries_of(command.line()));
  if (!command.text().examples.empty()) text += fmt::format("\n{}\n", heading("Examples:"));
  for (const Example& example : command.text().examples)
    text += fmt::format("  {}\n{}", example.command, wrap(example.says, 6));
  return text;
}

std::string usage(const Application& application) {
  std::vector<Entry> entries;
  for (const ReadyCommand* command : application.visible())
    entries.push_back({std::string(command->text().name), std::string(command->text().summary)});
  return fmt::format("{} nvmlab COMMAND [ARGUMENT]...\n\n{}{}", heading("Usage:"), wrap(about_nvmlab(), 0),
                     section("Commands:", entries));
}

std::string help(const Application& application) {
  std::string text = usage(application);
  text += section("Options:", entries_of(application.line()));
  std::vector<Entry> entries;
  for (const Variable& variable : variables())
    entries.push_back({std::string(variable.name), std::string(variable.help)});
  text += section("Environment:", entries);
  entries.clear();
  for (const ExitCode& exit : exit_codes())
    entries.push_back({std::string(exit.code), std::string(exit.help)});
  text += section("Exit codes:", entries);
  text += "\n`nvmlab COMMAND --help` tells more about each command.\n";
  return text;
}

}  // namespace nvmlab::tool
