// SPDX-License-Identifier: Apache-2.0
//
// The commands themselves: each is complete, and help, man page, completion and guide tell all of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "command/cli/application.hpp"
#include "command/cli/help.hpp"
#include "command/cli/output.hpp"
#include "command/completion/completion.hpp"
#include "tests/support/files.hpp"

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

void expect_complete(const ReadyCommand& command) {
  const Command& text = command.text();
  const std::string of(text.name);
  expect_sentence(text.summary, of);
  EXPECT_GE(text.about.size(), text.summary.size()) << of;
  EXPECT_EQ(text.about.back(), '.') << of;
  for (const OptionText& option : command.line().options()) {
    const std::string full = of + " " + option.name;
    EXPECT_TRUE(option.name.starts_with("--") && option.name.size() > 3) << full;
    EXPECT_TRUE(option.short_name.empty() || option.short_name.size() == 2) << full;
    EXPECT_NE(option.value, "TEXT") << full << " does not name its value";
    expect_sentence(option.help, full);
  }
  for (const OptionText& argument : command.line().arguments()) {
    EXPECT_TRUE(std::ranges::none_of(argument.name, [](char c) {
      return std::islower(static_cast<unsigned char>(c)) != 0;
    })) << of;
    EXPECT_FALSE(argument.help.empty()) << of << " " << argument.name << " has no help";
  }
  for (const Example& example : text.examples)
    EXPECT_FALSE(example.says.empty()) << of << ": " << example.command;
}

TEST(Commands, EveryOneIsComplete) {
  const Application application;
  std::set<std::string_view> names;
  for (const ReadyCommand& command : application.all()) {
    EXPECT_TRUE(names.insert(command.text().name).second) << command.text().name << " is there twice";
    expect_complete(command);
  }
}

// What no list mentions would be a file that nobody can call.
TEST(Commands, EveryFileIsOne) {
  const Application application;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() / "tools/command/commands")) {
    std::string name = entry.path().stem().string();
    if (name == "table") continue;
    std::ranges::replace(name, '_', ' ');
    const bool of_two_words = application.find(name) != nullptr;  // "ps add"; a name may have a dash, too
    std::ranges::replace(name, ' ', '-');
    EXPECT_TRUE(of_two_words || application.find(name) != nullptr)
        << entry.path() << " has no row in tools/command/commands/table.cpp";
  }
}

TEST(Commands, AnOptionMeansTheSameEverywhere) {
  // --gpus after one command and -n after another must not be two things.
  const Application application;
  std::map<std::string, std::string> shorts;
  std::map<std::string, std::string> values;
  for (const ReadyCommand& command : application.all()) {
    for (const OptionText& option : command.line().options()) {
      const std::string full = std::string(command.text().name) + " " + option.name;
      const std::string& known = shorts.emplace(option.name, option.short_name).first->second;
      // `set -f` takes a file, so that its --force has no short name.
      const bool taken = std::ranges::any_of(command.line().options(),
                                             [&known](const OptionText& other) { return other.short_name == known; });
      EXPECT_TRUE(option.short_name == known || (option.short_name.empty() && taken)) << full;
      // As users of either say it: `ps add --memory` is how much a process holds, `load --memory` how much of the
      // traffic a load makes; every third call fails, and a row lies in every second; `fault --skip` is how many calls.
      const std::set<std::string> told_apart = {"load --memory", "load --every", "plot --every", "record --skip"};
      if (!told_apart.contains(full)) {
        EXPECT_EQ(values.emplace(option.name, option.value).first->second, option.value) << full;
      }
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
  for (const Command* command : commands()) {
    for (const Example& example : command->examples) {
      const std::regex call("nvmlab ((?:'[^']*'|[^'|>)])*)");
      std::cmatch match;
      const std::string text = own_call(example.command, *command);
      ASSERT_TRUE(std::regex_search(text.c_str(), match, call)) << text;
      std::vector<std::string> words;
      const std::string rest = match[1];
      const std::regex word("'([^']*)'|([^ ']+)");
      for (std::sregex_iterator at(rest.begin(), rest.end(), word), end; at != end; ++at) {
        words.push_back((*at)[1].matched ? (*at)[1].str() : (*at)[2].str());
      }
      Application application;
      const auto call_of_it = application.parse(words);
      ASSERT_TRUE(call_of_it) << text << ": " << call_of_it.error();
      EXPECT_EQ(&call_of_it->command->text(), command) << text;
    }
  }
}

TEST(Help, TellsAll) {
  const Application application;
  const std::string all = help(application);
  for (const ReadyCommand* command : application.visible()) {
    const std::string_view name = command->text().name;
    EXPECT_NE(all.find(name), std::string::npos) << name;
    const std::string one = help(*command);
    for (const OptionText& option : command->line().options()) {
      EXPECT_NE(one.find(label(option)), std::string::npos) << name << " " << option.name;
    }
    for (const OptionText& argument : command->line().arguments()) {
      EXPECT_NE(one.find(argument.name), std::string::npos) << name << " " << argument.name;
    }
  }
  for (const Command* command : commands()) {
    if (command->hidden) {
      EXPECT_EQ(all.find(fmt::format("  {} ", command->name)), std::string::npos) << command->name;
    }
  }
}

TEST(Help, LinesFitIntoATerminal) {
  const Application application;
  for (const ReadyCommand& command : application.all()) {
    const std::string text = help(command);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      const bool example =
          line.starts_with("  ") && line.find("nvmlab") != std::string::npos;  // commands are not broken
      EXPECT_TRUE(example || width(line) <= 100) << command.text().name << ": " << line;
      at = end + 1;
    }
  }
}

TEST(Manual, TellsAll) {
  const Application application;
  const std::string page = without_escapes(manual(application));
  for (const ReadyCommand* command : application.visible()) {
    const Command& text = command->text();
    EXPECT_NE(page.find(fmt::format(".SS {}\n", text.name)), std::string::npos) << text.name;
    for (const OptionText& option : command->line().options())
      EXPECT_NE(page.find(label(option)), std::string::npos) << option.name;
    for (const Example& example : text.examples)
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
  const std::string page = manual(Application());
  for (std::size_t at = 0; at < page.size(); at = page.find('\n', at) + 1) {
    if (page[at] == '\'') ADD_FAILURE() << page.substr(at, 40);
    if (page[at] != '.') continue;
    const std::string line = page.substr(at + 1, page.find('\n', at) - at - 1);
    EXPECT_TRUE(requests.contains(line.substr(0, line.find(' ')))) << line;
  }
}

TEST(Completion, KnowsEveryCommandAndOption) {
  const Application application;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell, application);
    ASSERT_FALSE(script.empty()) << shell;
    for (const ReadyCommand* command : application.visible()) {
      EXPECT_NE(script.find(command->leaf()), std::string::npos) << shell << ": " << command->text().name;
      for (const OptionText& option : command->line().options()) {
        const std::string name = option.name;
        EXPECT_NE(script.find(shell == "fish" ? name.substr(2) : name), std::string::npos) << shell << ": " << name;
      }
    }
  }
  EXPECT_TRUE(completion_script("tcsh", application).empty());
}

TEST(Guide, TellsOfEveryCommandOptionAndVariable) {
  const auto guide = test::read_file(test::source_folder() / "docs/guide/command-line.md");
  ASSERT_TRUE(guide) << "docs/guide/command-line.md";
  const Application application;
  for (const ReadyCommand* command : application.visible()) {
    EXPECT_NE(guide->find(fmt::format("nvmlab {}", command->text().name)), std::string::npos) << command->text().name;
    for (const OptionText& option : command->line().options())
      EXPECT_NE(guide->find(option.name), std::string::npos) << option.name;
  }
  for (const Variable& variable : variables())
    EXPECT_NE(guide->find(variable.name), std::string::npos) << variable.name;
}

}  // namespace
}  // namespace nvmlab::tool
