// SPDX-License-Identifier: Apache-2.0
#include "command/cli/application.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>

#include "base/nearest.hpp"
#include "command/cli/help.hpp"

namespace nvmlab::tool {
namespace {

std::string unknown_option(const std::string& word, const CommandLine& line, const std::string& owner) {
  std::vector<std::string> known;
  for (const OptionText& option : line.options())
    known.push_back(option.name);
  const std::string name = word.substr(0, word.find('='));
  return fmt::format("{} has no option {}; {}", owner, in_quotes(name), hint(name, known, "its options"));
}

std::string unknown_command(const std::string& word, const Application& application) {
  std::vector<std::string> names;
  for (const ReadyCommand* command : application.visible()) {
    if (!command->is_below_another()) names.push_back(command->leaf());
  }
  return fmt::format("there is no command {}; {}", in_quotes(word), hint(word, names, "the commands"));
}

// A word that nothing took.
std::string unknown_word(const std::string& word, const Application& application, const ReadyCommand* chosen) {
  const bool option = word.size() > 1 && word.front() == '-';
  if (chosen == nullptr) {
    return option ? unknown_option(word, application.line(), "nvmlab") : unknown_command(word, application);
  }
  const std::string_view name = chosen->text().name;
  if (option) return unknown_option(word, chosen->line(), fmt::format("'{}'", name));
  return fmt::format("unexpected argument {}; see `nvmlab help {}`", in_quotes(word), name);
}

// CLI11 begins such an error with the name of the option; what is wrong follows from what the option is.
std::string wrong_number_of_values(const std::string& what, const CommandLine& line) {
  for (const OptionText& option : line.options()) {
    if (option.value.empty()) {
      if (what.starts_with(option.name.substr(2) + " ")) return fmt::format("{} takes no value", option.name);
    } else if (what.starts_with(option.name + ":")) {
      return fmt::format("{0} needs a value: {0} {1}", option.name, option.value);
    }
  }
  return what;
}

std::string missing_argument(const std::string& what, const ReadyCommand& command) {
  for (const OptionText& argument : command.line().arguments()) {
    if (argument.required && command.line().app().count(argument.name) == 0)
      return fmt::format("'{}' needs {}: {}", command.text().name, argument.name, synopsis(command));
  }
  return what;
}

// In a sentence that says what would be right.
std::string sentence_of(const CLI::ParseError& error, const Application& application, const ReadyCommand* chosen) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return what;  // of ours, about a value
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return wrong_number_of_values(what, chosen != nullptr ? chosen->line() : application.line());
  // A word that nothing knows explains what is missing better than the other way round.
  for (const std::string& word : application.line().app().remaining(true)) {
    if (word != "--") return unknown_word(word, application, chosen);
  }
  return chosen == nullptr ? what : missing_argument(what, *chosen);
}

bool takes_next_word(const std::string& word, const CommandLine& line) {
  return std::ranges::any_of(line.options(), [&word](const OptionText& option) {
    return !option.value.empty() && (word == option.name || word == option.short_name);
  });
}

// Options may stand before the word that says which command below another one is meant: `nvmlab ps --machine M add` is
// `nvmlab ps add --machine M`.
void put_command_first(std::vector<std::string>& words, const Application& application) {
  const ReadyCommand* const above = words.empty() ? nullptr : application.find(words.front());
  if (above == nullptr) return;
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with("-") && words[at] != "--")
    at += takes_next_word(words[at], above->line()) ? 2 : 1;
  if (at < words.size() && application.find(words.front() + " " + words[at]) != nullptr)
    std::rotate(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(at),
                words.begin() + static_cast<std::ptrdiff_t>(at) + 1);
}

}  // namespace

Application::Application()
    : root_(std::make_unique<CLI::App>(std::string(about_nvmlab()), "nvmlab")),
      line_(std::make_unique<CommandLine>(*root_)) {
  add_help(*root_);
  root_->set_version_flag("--version,-V", version(), "Show the version");
  for (const Command* command : commands()) {
    const std::size_t space = command->name.rfind(' ');
    CLI::App* const above = space == std::string_view::npos
                                ? root_.get()
                                : root_->get_subcommand(std::string(command->name.substr(0, space)));
    const std::string leaf(command->name.substr(space + 1));  // npos + 1 is 0
    all_.emplace_back(*command, *above->add_subcommand(leaf, std::string(command->summary)));
  }
}

Application::~Application() = default;

std::expected<Call, std::string> Application::parse(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "help") {  // `nvmlab help run` is `nvmlab run --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  put_command_first(words, *this);
  if (const ReadyCommand* const named = words.empty() ? nullptr : find(words.front()))
    named->line().take_trailing_command(words);
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    root_->parse(std::move(words));
  } catch (const CLI::CallForVersion& asked) {
    return Call{chosen(), std::string(asked.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    // Who asks for help gets it, whatever else is wrong.
    const ReadyCommand* const command = chosen();
    const CLI::App& app = command != nullptr ? command->line().app() : *root_;
    if (app.get_help_ptr()->count() > 0 || root_->get_help_ptr()->count() > 0)
      return Call{command, command != nullptr ? help(*command) : help(*this)};
    return std::unexpected(sentence_of(error, *this, command));
  }
  return Call{chosen(), ""};
}

std::vector<const ReadyCommand*> Application::visible() const {
  std::vector<const ReadyCommand*> visible;
  for (const ReadyCommand& command : all_) {
    if (!command.text().hidden) visible.push_back(&command);
  }
  return visible;
}

const ReadyCommand* Application::find(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, [](const ReadyCommand& command) { return command.text().name; });
  return found == all_.end() ? nullptr : &*found;
}

const ReadyCommand* Application::chosen() const {
  const CLI::App* deepest = root_.get();
  while (!deepest->get_subcommands().empty())
    deepest = deepest->get_subcommands().front();
  const auto found =
      std::ranges::find(all_, deepest, [](const ReadyCommand& command) { return &command.line().app(); });
  return found == all_.end() ? nullptr : &*found;
}

}  // namespace nvmlab::tool
