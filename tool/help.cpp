// SPDX-License-Identifier: Apache-2.0
#include "tool/help.hpp"

#include <fmt/format.h>

#include "tool/output.hpp"

namespace nvmlab::tool {
namespace {

struct Entry {
  std::string left;
  std::string right;
};

// Two columns: names, and behind them what they mean in as many lines as it takes.
std::string columns(const std::vector<Entry>& entries) {
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

std::vector<Entry> entries_of(std::span<const Option> options) {
  std::vector<Entry> entries;
  for (const Option& option : options)
    entries.push_back({label(option), std::string(option.help)});
  return entries;
}

std::string section(std::string_view title, const std::vector<Entry>& entries) {
  return entries.empty() ? "" : fmt::format("\n{}\n{}", heading(title), columns(entries));
}

}  // namespace

std::string version() { return "nvmlab " NVMLAB_VERSION; }

std::vector<const Command*> visible_commands() {
  std::vector<const Command*> visible;
  for (const Command& command : commands()) {
    if (!command.hidden) visible.push_back(&command);
  }
  return visible;
}

std::string label(const Option& option) {
  std::string text = option.short_name.empty() ? "" : fmt::format("{}, ", option.short_name);
  text += option.name;
  if (!option.value.empty()) text += fmt::format(" {}", option.value);
  return text;
}

std::string synopsis(const Command& command) {
  std::string text = fmt::format("nvmlab {}", command.name);
  if (!command.options.empty()) text += " [OPTION]...";
  if (command.takes_command) text += " [--]";
  for (const Argument& argument : command.arguments) {
    const std::string name = fmt::format("{}{}", argument.name, argument.many ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string help(const Command& command) {
  std::string text = fmt::format("{} {}\n\n{}", heading("Usage:"), synopsis(command), wrap(command.about, 0));
  std::vector<Entry> arguments;
  for (const Argument& argument : command.arguments)
    arguments.push_back({std::string(argument.name), std::string(argument.help)});
  text += section("Arguments:", arguments);
  std::vector<Entry> options = entries_of(command.options);
  for (const Entry& entry : entries_of(common_options()))
    options.push_back(entry);
  text += section("Options:", options);
  if (!command.examples.empty()) text += fmt::format("\n{}\n", heading("Examples:"));
  for (const Example& example : command.examples)
    text += fmt::format("  {}\n{}", example.command, wrap(example.says, 6));
  return text;
}

std::string help() {
  std::string text = fmt::format("{} nvmlab COMMAND [ARGUMENT]...\n\n{}", heading("Usage:"), wrap(about_nvmlab(), 0));
  std::vector<Entry> entries;
  for (const Command* command : visible_commands())
    entries.push_back({std::string(command->name), std::string(command->summary)});
  text += section("Commands:", entries);
  text += section("Options:", entries_of(global_options()));
  entries.clear();
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
