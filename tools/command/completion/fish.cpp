// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command/completion/parts.hpp"

namespace nvmlab::tool {
namespace {

std::string fish_candidates(Complete complete) {
  if (complete == Complete::assignment) return " -fa '(nvmlab words assignments (commandline -ct) 2>/dev/null)'";
  if (const auto words = words_of(complete); !words.empty()) {
    return fmt::format(" -{}a '(nvmlab words {} 2>/dev/null)'", takes_files(complete) ? "" : "f", words);
  }
  if (const auto words = fixed_words(complete); !words.empty()) return fmt::format(" -fa '{}'", words);
  return takes_files(complete) ? " -F" : " -f";
}

std::string fish_quoted(std::string_view text) { return in_single_quotes(text, "\\'"); }

std::string fish_option(const OptionText& option) {
  std::string out = fmt::format(" -l {}", option.name.substr(2));
  if (!option.short_name.empty()) out += fmt::format(" -s {}", option.short_name.substr(1));
  if (!option.value.empty()) out += fmt::format(" -r{}", fish_candidates(option.complete));
  return out + fmt::format(" -d {}", fish_quoted(option.help));
}

std::string fish_command(const ReadyCommand& command) {
  const std::string offered = command.is_below_another()
                                  ? fmt::format("'__fish_seen_subcommand_from {}'", command.parent())
                                  : "__fish_use_subcommand";
  const std::string inside = fmt::format("complete -c nvmlab -n '__fish_seen_subcommand_from {}'", command.leaf());
  std::string out = fmt::format("complete -c nvmlab -n {} -a {} -d {}\n", offered, command.leaf(),
                                fish_quoted(command.text().summary));
  for (const OptionText& option : command.line().options())
    out += fmt::format("{}{}\n", inside, fish_option(option));
  for (const OptionText& argument : command.line().arguments()) {
    const std::string candidates =
        command.line().takes_command() ? " -xa '(__fish_complete_subcommand)'" : fish_candidates(argument.complete);
    out += fmt::format("{}{}\n", inside, candidates);
  }
  return out;
}

}  // namespace

std::string fish_completion(const Application& application) {
  std::string out = "# fish completion for nvmlab; made by `nvmlab completion fish`.\ncomplete -c nvmlab -f\n";
  for (const OptionText& option : application.line().options()) {
    out += fmt::format("complete -c nvmlab -n __fish_use_subcommand -l {} -d {}\n", option.name.substr(2),
                       fish_quoted(option.help));
  }
  for (const ReadyCommand* command : application.visible())
    out += fish_command(*command);
  return out;
}

}  // namespace nvmlab::tool
