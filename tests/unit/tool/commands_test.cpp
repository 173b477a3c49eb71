// SPDX-License-Identifier: Apache-2.0
//
// The table itself: every row is complete, and help, man page, completion and guide tell all of it.
#include "tool/commands.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <string>

#include "tests/support/files.hpp"
#include "tool/arguments.hpp"
#include "tool/completion.hpp"
#include "tool/help.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {
namespace {

void expect_sentence(std::string_view text, const std::string& of) {
  ASSERT_FALSE(text.empty()) << of << " has no help";
  EXPECT_TRUE(std::isupper(static_cast<unsigned char>(text.front())) ||
              !std::isalpha(static_cast<unsigned char>(text.front())) || text.starts_with("bash"))
      << of << ": " << text;
  EXPECT_NE(text.back(), '.') << of << ": " << text;
}

std::string without_escapes(std::string text) {
  std::erase(text, '\\');
  return text;
}

TEST(Commands, EveryRowIsComplete) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    const std::string of(command.name);
    EXPECT_TRUE(names.insert(command.name).second) << of << " is there twice";
    EXPECT_NE(command.run, nullptr) << of;
    expect_sentence(command.summary, of);
    EXPECT_GE(command.about.size(), command.summary.size()) << of;
    EXPECT_EQ(command.about.back(), '.') << of;
    std::set<std::string_view> options;
    for (const Option& option : command.options) {
      const std::string full = of + " " + std::string(option.name);
      EXPECT_TRUE(option.name.starts_with("--") && option.name.size() > 3) << full;
      EXPECT_TRUE(option.short_name.empty() || (option.short_name.size() == 2 && option.short_name[0] == '-')) << full;
      EXPECT_TRUE(options.insert(option.name).second) << full << " is there twice";
      EXPECT_TRUE(option.short_name.empty() || options.insert(option.short_name).second)
          << full << ": short name is taken";
      EXPECT_NE(option.short_name, "-h") << full;
      expect_sentence(option.help, full);
    }
    for (const Argument& argument : command.arguments) {
      EXPECT_TRUE(std::ranges::none_of(argument.name, [](char c) {
        return std::islower(static_cast<unsigned char>(c)) != 0;
      })) << of;
      EXPECT_FALSE(argument.help.empty()) << of << " " << argument.name << " has no help";
    }
    for (const Example& example : command.examples)
      EXPECT_FALSE(example.says.empty()) << of << ": " << example.command;
  }
}

TEST(Commands, AnOptionMeansTheSameEverywhere) {
  // --gpus after one command and -n after another must not be two things.
  std::map<std::string_view, std::string_view> shorts;
  std::map<std::string_view, std::string_view> values;
  for (const Command& command : commands()) {
    for (const Option& option : command.options) {
      const auto [at, fresh] = shorts.emplace(option.name, option.short_name);
      EXPECT_EQ(at->second, option.short_name) << command.name << " " << option.name;
      EXPECT_EQ(values.emplace(option.name, option.value).first->second, option.value)
          << command.name << " " << option.name;
    }
  }
}

// The call of the command itself: the whole example, or, where it runs on a simulated machine, what `nvmlab run`
// starts.
std::string own_call(std::string_view example, const Command& command) {
  const auto inner = example.find("-- nvmlab " + std::string(command.name));
  return std::string(inner == example.npos ? example : example.substr(inner + 3));
}

TEST(Commands, ExamplesParse) {
  for (const Command& command : commands()) {
    for (const Example& example : command.examples) {
      const std::regex call("nvmlab ((?:'[^']*'|[^'|>)])*)");
      std::cmatch match;
      const std::string text = own_call(example.command, command);
      ASSERT_TRUE(std::regex_search(text.c_str(), match, call)) << text;
      std::vector<std::string> words;
      const std::string rest = match[1];
      const std::regex word("'([^']*)'|([^ ']+)");
      for (std::sregex_iterator at(rest.begin(), rest.end(), word), end; at != end; ++at) {
        words.push_back((*at)[1].matched ? (*at)[1].str() : (*at)[2].str());
      }
      const auto parsed = parse(words);
      ASSERT_TRUE(parsed) << text << ": " << parsed.error();
      EXPECT_EQ(parsed->command->name, command.name) << text;
    }
  }
}

TEST(Help, TellsAll) {
  const std::string all = help();
  for (const Command* command : visible_commands()) {
    EXPECT_NE(all.find(command->name), std::string::npos) << command->name;
    const std::string one = help(*command);
    for (const Option& option : command->options) {
      EXPECT_NE(one.find(label(option)), std::string::npos) << command->name << " " << option.name;
    }
    for (const Argument& argument : command->arguments) {
      EXPECT_NE(one.find(argument.name), std::string::npos) << command->name << " " << argument.name;
    }
  }
  for (const Command& command : commands()) {
    if (command.hidden) {
      EXPECT_EQ(all.find(fmt::format("  {} ", command.name)), std::string::npos) << command.name;
    }
  }
}

TEST(Help, LinesFitIntoATerminal) {
  for (const Command& command : commands()) {
    const std::string text = help(command);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      const bool example =
          line.starts_with("  ") && line.find("nvmlab") != std::string::npos;  // commands are not broken
      EXPECT_TRUE(example || width(line) <= 100) << command.name << ": " << line;
      at = end + 1;
    }
  }
}

TEST(Manual, TellsAll) {
  const std::string page = without_escapes(manual());
  for (const Command* command : visible_commands()) {
    EXPECT_NE(page.find(fmt::format(".SS {}\n", command->name)), std::string::npos) << command->name;
    for (const Option& option : command->options)
      EXPECT_NE(page.find(label(option)), std::string::npos) << option.name;
    for (const Example& example : command->examples)
      EXPECT_NE(page.find(example.command), std::string::npos) << example.command;
  }
  for (const Variable& variable : variables())
    EXPECT_NE(page.find(variable.name), std::string::npos) << variable.name;
  for (const ExitCode& code : exit_codes())
    EXPECT_NE(page.find(code.help), std::string::npos) << code.code;
}

TEST(Manual, NoLineIsTakenForARequestByAccident) {
  const std::set<std::string> requests = {"\\\"", "TH", "SH", "SS", "PP", "TP", "B",
                                          "RS",   "RE", "nf", "fi", "nh", "ad"};
  const std::string page = manual();
  for (std::size_t at = 0; at < page.size(); at = page.find('\n', at) + 1) {
    if (page[at] == '\'') ADD_FAILURE() << page.substr(at, 40);
    if (page[at] != '.') continue;
    const std::string line = page.substr(at + 1, page.find('\n', at) - at - 1);
    EXPECT_TRUE(requests.contains(line.substr(0, line.find(' ')))) << line;
  }
}

TEST(Completion, KnowsEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    ASSERT_FALSE(script.empty()) << shell;
    for (const Command* command : visible_commands()) {
      const std::size_t space = command->name.find(' ');
      const std::string_view leaf = space == std::string_view::npos ? command->name : command->name.substr(space + 1);
      EXPECT_NE(script.find(leaf), std::string::npos) << shell << ": " << command->name;
      for (const Option& option : command->options) {
        const std::string_view wanted = std::string_view(shell) == "fish" ? option.name.substr(2) : option.name;
        EXPECT_NE(script.find(wanted), std::string::npos) << shell << ": " << option.name;
      }
    }
  }
  EXPECT_TRUE(completion_script("tcsh").empty());
}

TEST(Guide, TellsOfEveryCommandOptionAndVariable) {
  const auto guide = test::read_file(test::source_folder() / "docs/guide/command-line.md");
  ASSERT_TRUE(guide) << "docs/guide/command-line.md";
  for (const Command* command : visible_commands()) {
    EXPECT_NE(guide->find(fmt::format("nvmlab {}", command->name)), std::string::npos) << command->name;
    for (const Option& option : command->options)
      EXPECT_NE(guide->find(option.name), std::string::npos) << option.name;
  }
  for (const Variable& variable : variables())
    EXPECT_NE(guide->find(variable.name), std::string::npos) << variable.name;
}

}  // namespace
}  // namespace nvmlab::tool
