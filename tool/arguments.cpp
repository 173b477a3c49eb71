// SPDX-License-Identifier: Apache-2.0
#include "tool/arguments.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <functional>
#include <ranges>

#include "base/nearest.hpp"
#include "tool/help.hpp"

namespace nvmlab::tool {
namespace {

const Option* find_option(std::span<const Option> options, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  const auto found = std::ranges::find_if(options, [&](const Option& option) {
    return option.name == name || (!option.short_name.empty() && option.short_name == name);
  });
  return found == options.end() ? nullptr : &*found;
}

// Where the words of `run` end and those of its command begin; both "run -- ls -l" and "run ls -l" mean the same.
std::size_t start_of_command(const Command& command, const std::vector<std::string>& words, std::size_t from) {
  std::size_t at = from;
  while (at < words.size() && words[at].size() > 1 && words[at].front() == '-' && words[at] != "--") {
    const Option* option = find_option(command.options, words[at]);
    const bool value_follows = option != nullptr && !option->value.empty() && words[at].find('=') == std::string::npos;
    at += value_follows ? 2 : 1;
  }
  return std::min(at, words.size());
}

std::string flag_names(const Option& option) {
  return option.short_name.empty() ? std::string(option.name) : fmt::format("{},{}", option.short_name, option.name);
}

// One CLI11 application with a subcommand for each row; what is parsed lands in `arguments`.
class Parser {
 public:
  explicit Parser(Arguments& arguments) : arguments_(arguments), app_("nvmlab") {
    app_.set_help_flag();
    app_.require_subcommand(0, 1);
    app_.allow_extras();
    add_options(app_, global_options());
    for (const Command& command : commands())
      add(command);
  }

  void parse(std::vector<std::string> words) {
    std::ranges::reverse(words);  // as CLI11 wants them
    app_.parse(std::move(words));
  }

  const Command* chosen() const {
    const CLI::App* deepest = &app_;
    while (!deepest->get_subcommands().empty())
      deepest = deepest->get_subcommands().front();
    const auto found = rows_.find(deepest);
    return found == rows_.end() ? nullptr : found->second;
  }

  // Words that nothing took, in the order of the command line.
  std::vector<std::string> rest() const { return app_.remaining(true); }

 private:
  void add(const Command& command) {
    CLI::App* parent = &app_;
    std::string name(command.name);
    if (const std::size_t space = name.find(' '); space != std::string::npos) {
      parent = app_.get_subcommand(name.substr(0, space));
      name.erase(0, space + 1);
    }
    CLI::App* sub = parent->add_subcommand(name);
    sub->set_help_flag();
    sub->allow_extras();
    sub->require_subcommand(0, 1);
    rows_[sub] = &command;
    add_options(*sub, common_options());
    add_options(*sub, command.options);
    for (const Argument& argument : command.arguments) {
      const std::string key(argument.name);
      auto* option = sub->add_option_function<std::vector<std::string>>(
          key, [this, key](const std::vector<std::string>& words) { arguments_.values[key] = words; });
      if (&argument == &command.arguments.back()) {
        option->expected(0, CLI::detail::expected_max_vector_size);  // how many there may be is told in words of ours
      } else {
        option->expected(1)->allow_extra_args(false);
      }
    }
  }

  void add_options(CLI::App& app, std::span<const Option> options) {
    for (const Option& option : options) {
      const std::string key(option.name);
      if (option.value.empty()) {
        app.add_flag_callback(flag_names(option), [this, key] { arguments_.values[key] = {""}; });
      } else {
        app.add_option_function<std::string>(flag_names(option),
                                             [this, key](const std::string& word) { arguments_.values[key] = {word}; })
            ->type_name(std::string(option.value))
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      }
    }
  }

  Arguments& arguments_;
  CLI::App app_;
  std::map<const CLI::App*, const Command*> rows_;
};

std::vector<std::string> names_of_commands() {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (!command.hidden && command.name.find(' ') == std::string_view::npos) names.emplace_back(command.name);
  }
  return names;
}

std::string unknown_word(const Command* command, const std::string& word) {
  if (word.size() > 1 && word.front() == '-') {
    std::vector<std::string> known;
    if (command == nullptr) {
      for (const Option& option : global_options())
        known.emplace_back(option.name);
    } else {
      for (const Option& option : command->options)
        known.emplace_back(option.name);
      for (const Option& option : common_options())
        known.emplace_back(option.name);
    }
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("{} is no option{}; {}", in_quotes(name), command ? fmt::format(" of '{}'", command->name) : "",
                       hint(name, known, "its options"));
  }
  if (command == nullptr)
    return fmt::format("{} is no command; {}", in_quotes(word), hint(word, names_of_commands(), "the commands"));
  return fmt::format("{} is one word too many for '{}'; see `nvmlab {} --help`", in_quotes(word), command->name,
                     command->name);
}

std::string missing(const Command& command, const Argument& argument) {
  return fmt::format("'{}' needs {}: {}", command.name, argument.name, synopsis(command));
}

// "--json=no" would mean yes.
const Option* flag_with_value(const Command* command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!word.starts_with("--") || word.find('=') == std::string::npos) continue;
    const Option* option = find_option(command != nullptr ? command->options : global_options(), word);
    if (option == nullptr) option = find_option(common_options(), word);
    if (option != nullptr && option->value.empty()) return option;
  }
  return nullptr;
}

// CLI11 names options well, but says "ArgumentMismatch" things in words of its own.
std::string explain(const CLI::ParseError& error, const std::vector<std::string>& words) {
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && !words.empty()) {
    for (const Command& command : commands()) {
      for (const Option& option : command.options) {
        if (!option.value.empty() && words.back() == option.name) {
          return fmt::format("{} needs a value: {} {}", option.name, option.name, option.value);
        }
        if (!option.short_name.empty() && words.back() == option.short_name && !option.value.empty()) {
          return fmt::format("{} needs a value: {} {}", option.short_name, option.name, option.value);
        }
      }
    }
  }
  return error.what();
}

}  // namespace

std::optional<std::string> Arguments::option(std::string_view name) const {
  const auto found = values.find(name);
  if (found == values.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::string Arguments::option_or(std::string_view name, std::string_view other) const {
  return option(name).value_or(std::string(other));
}

const std::vector<std::string>& Arguments::all(std::string_view argument) const {
  static const std::vector<std::string> none;
  const auto found = values.find(argument);
  return found == values.end() ? none : found->second;
}

std::optional<std::string> Arguments::one(std::string_view argument) const { return option(argument); }

std::expected<Parsed, std::string> parse(const std::vector<std::string>& words) {
  Parsed parsed;
  std::vector<std::string> ours = words;
  const Command* first = words.empty() ? nullptr : find_command(words.front());
  if (first != nullptr && first->takes_command) {
    const std::size_t start = start_of_command(*first, words, 1);
    ours.resize(start);
    const std::size_t skip = start < words.size() && words[start] == "--" ? 1 : 0;
    parsed.arguments.command.assign(words.begin() + static_cast<std::ptrdiff_t>(start + skip), words.end());
  }
  Parser parser(parsed.arguments);
  try {
    parser.parse(ours);
  } catch (const CLI::ParseError& error) {
    return std::unexpected(explain(error, ours));
  }
  parsed.command = parser.chosen();
  parsed.help = parsed.arguments.flag("--help");
  parsed.version = parsed.arguments.flag("--version");
  if (const auto rest = parser.rest(); !rest.empty())
    return std::unexpected(unknown_word(parsed.command, rest.front()));
  if (const Option* flag = flag_with_value(parsed.command, ours)) {
    return std::unexpected(fmt::format("{} takes no value", flag->name));
  }
  if (parsed.help || parsed.version || parsed.command == nullptr) return parsed;
  for (const Argument& argument : parsed.command->arguments) {
    const std::vector<std::string>& given = parsed.arguments.all(argument.name);
    if (!argument.many && given.size() > 1) return std::unexpected(unknown_word(parsed.command, given[1]));
    if (argument.required && parsed.arguments.all(argument.name).empty() && !parsed.command->takes_command) {
      return std::unexpected(missing(*parsed.command, argument));
    }
  }
  if (parsed.command->takes_command && parsed.arguments.command.empty()) {
    return std::unexpected(missing(*parsed.command, parsed.command->arguments.front()));
  }
  return parsed;
}

}  // namespace nvmlab::tool
