// SPDX-License-Identifier: Apache-2.0
#include "command/play/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "command/cli/application.hpp"
#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; }

class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  std::expected<std::vector<std::string>, std::string> read() {
    std::vector<std::string> words;
    while (skip_blanks()) {
      auto word = read_word();
      if (!word) return std::unexpected(word.error());
      words.push_back(std::move(*word));
    }
    return words;
  }

 private:
  bool skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_]))
      ++at_;
    return at_ < text_.size();
  }

  std::expected<std::string, std::string> read_word() {
    std::string word;
    char quote = '\0';
    std::size_t opened = 0;
    for (; at_ < text_.size() && (quote != '\0' || !is_blank(text_[at_])); ++at_) {
      const char letter = text_[at_];
      if (letter == quote) {
        quote = '\0';
      } else if (quote == '\0' && (letter == '\'' || letter == '"')) {
        quote = letter;
        opened = at_;
      } else if (letter == '\\' && quote != '\'' && at_ + 1 < text_.size()) {
        word += text_[++at_];
      } else {
        word += letter;
      }
    }
    if (quote != '\0') return std::unexpected(fmt::format("the quote at character {} is not closed", opened + 1));
    return word;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Commands that look at a machine that is up and change it say so by their option.
bool is_for_machines(const ReadyCommand& command) {
  return std::ranges::any_of(command.line().options(),
                             [](const OptionText& option) { return option.name == "--machine"; });
}

std::vector<std::string> names_for_scenarios(const Application& application) {
  std::vector<std::string> names;
  for (const ReadyCommand* command : application.visible()) {
    if (is_for_machines(*command) && !command->text().not_in_scenarios) names.emplace_back(command->text().name);
  }
  return names;
}

}  // namespace

std::expected<std::vector<std::string>, std::string> split_words(std::string_view text) {
  return WordReader(text).read();
}

std::optional<std::string> problem_with_command(const std::vector<std::string>& words) {
  if (words.empty()) return "a command was expected, such as 'set --gpu 0 thermal.gpu_c=90'";
  if (words.front() == "nvmlab") return "commands of a scenario stand without 'nvmlab' in front";
  Application application;
  const auto call = application.parse(words);
  if (!call) return call.error();
  const ReadyCommand* const command = call->command;
  if (command == nullptr || !call->text.empty())
    return fmt::format("{}: help is not for scenarios; a command was expected", in_quotes(words.front()));
  if (!is_for_machines(*command) || command->text().not_in_scenarios)
    return fmt::format("'{}' has no place in a scenario; commands for it are: {}", command->text().name,
                       fmt::join(names_for_scenarios(application), ", "));
  if (command->line().given("--machine")) return "the machine is the scenario's own; leave --machine out";
  return std::nullopt;
}

CommandOutcome run_command(const std::vector<std::string>& words) {
  CapturedOutput output;
  Application application;
  const auto call = application.parse(words);
  CommandOutcome outcome;
  outcome.code = call && call->command != nullptr ? call->command->run() : kMisused;
  outcome.printed = std::move(output.printed);
  outcome.complaints = std::move(output.complaints);
  return outcome;
}

}  // namespace nvmlab::tool
