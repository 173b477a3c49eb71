// SPDX-License-Identifier: Apache-2.0
#include "command/cli/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <utility>

namespace nvmlab::tool {
namespace {

// More words than a kernel takes. A list without an end would be read by CLI11 itself: it takes "[a,b]" apart.
constexpr int kMostWords = 1 << 24;

std::vector<const CLI::Option*> listed(const CLI::App& app, bool positional) {
  return app.get_options([positional](const CLI::Option* option) { return option->get_positional() == positional; });
}

}  // namespace

void prepare(CLI::App& app) {
  app.require_subcommand(0, 1);
  app.option_defaults()->take_last()->disable_flag_override();  // "--json=no" would mean yes
  app.set_help_flag();
}

void add_help(CLI::App& app) { app.set_help_flag("--help,-h", "Show this help"); }

CommandLine::Declared& CommandLine::Declared::required() {
  option_.required();
  return *this;
}

CommandLine::Declared& CommandLine::Declared::complete(Complete with) {
  line_.completions_[&option_] = with;
  return *this;
}

CommandLine::CommandLine(CLI::App& app) : app_(app) { prepare(app_); }

CommandLine::Declared CommandLine::argument(const char* name, std::string& word, const char* help) {
  return {*this, *app_.add_option(name, word, help)};
}

CommandLine::Declared CommandLine::argument(const char* name, std::vector<std::string>& words, const char* help) {
  return {*this, *app_.add_option(name, words, help)};
}

CommandLine::Declared CommandLine::command(const char* name, std::vector<std::string>& words, const char* help) {
  app_.positionals_at_end();
  const auto keep = [&words](const CLI::results_t& as_they_are) {
    words = as_they_are;
    return true;
  };
  return {*this, *app_.add_option(name, CLI::callback_t(keep), help)->expected(kMostWords)->allow_extra_args(false)};
}

// CLI11 knows it for the sake of help alone: it would not know which words are whose.
CommandLine::Declared CommandLine::trailing_command(const char* name, std::vector<std::string>& words,
                                                    const char* help) {
  CLI::Option* const option = app_.add_option(name, CLI::callback_t([](const CLI::results_t&) { return false; }), help);
  trailing_ = &words;
  trailing_option_ = option;
  return {*this, *option->expected(0, kMostWords)};
}

CommandLine::Declared CommandLine::flag(const char* names, bool& given, const char* help) {
  return {*this, *app_.add_flag(names, given, help)};
}

CommandLine::Declared CommandLine::option(const char* names, const char* value, std::string& word, const char* help) {
  return {*this, *app_.add_option(names, word, help)->type_name(value)};
}

// Not bound to the optional itself: CLI11 takes an empty word for none.
CommandLine::Declared CommandLine::option(const char* names, const char* value, std::optional<std::string>& word,
                                          const char* help) {
  return {*this, *app_.add_option_function<std::string>(
                          names, [&word](const std::string& given) { word = given; }, help)
                      ->type_name(value)};
}

CommandLine::Declared CommandLine::option(const char* names, const char* value, TakeWord take, const char* help) {
  const auto check = [take = std::move(take)](const std::string& given) {
    if (const std::string wrong = take(given); !wrong.empty()) throw CLI::ValidationError(wrong);
  };
  return {*this, *app_.add_option_function<std::string>(names, check, help)->type_name(value)};
}

// To CLI11 it takes no word of its own, but may be given one.
CommandLine::Declared CommandLine::optional_value(const char* name, const char* value, std::optional<std::string>& word,
                                                  const char* help) {
  const auto keep = [&word](const CLI::results_t& given) {
    word = given.empty() ? std::string() : given.back();
    return true;
  };
  CLI::Option* const option = app_.add_option(name, CLI::callback_t(keep), help);
  return {*this, *option->expected(0, 0)->disable_flag_override(false)->type_name(value)};
}

CommandLine::Declared CommandLine::repeated(const char* names, const char* value, std::vector<std::string>& words,
                                            const char* help) {
  return {*this, *app_.add_option(names, words, help)->type_name(value)->allow_extra_args(false)};
}

std::vector<OptionText> CommandLine::options() const {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : listed(app_, false))
    texts.push_back(text_of(*option));
  return texts;
}

std::vector<OptionText> CommandLine::arguments() const {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : listed(app_, true))
    texts.push_back(text_of(*option));
  return texts;
}

bool CommandLine::takes_command() const { return app_.get_positionals_at_end(); }

bool CommandLine::given(const std::string& option) const { return app_.count(option) > 0; }

void CommandLine::take_trailing_command(std::vector<std::string>& words) const {
  if (trailing_ == nullptr) return;
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end()) return;
  trailing_->assign(dashes + 1, words.end());
  words.erase(dashes, words.end());
}

OptionText CommandLine::text_of(const CLI::Option& option) const {
  OptionText text;
  const bool positional = option.get_positional();
  text.name = positional ? option.get_name(true) : "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) text.short_name = "-" + option.get_snames().front();
  if (!positional && option.get_items_expected_max() > 0) text.value = option.get_type_name();
  if (!positional && option.get_items_expected_max() == 0) text.optional_value = option.get_type_name();
  text.help = option.get_description();
  if (const auto found = completions_.find(&option); found != completions_.end()) text.complete = found->second;
  text.required = option.get_required();
  text.many = option.get_items_expected_max() > 1;
  text.trailing = &option == trailing_option_;
  return text;
}

}  // namespace nvmlab::tool
