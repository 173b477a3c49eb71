// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command/completion/parts.hpp"

namespace nvmlab::tool {
namespace {

constexpr const char* kZshHead = R"sh(#compdef nvmlab
# zsh completion for nvmlab; made by `nvmlab completion zsh`.
_nvmlab_words() { local -a found; found=(${(f)"$(nvmlab words $1 2>/dev/null)"}); compadd -- $found }
_nvmlab_assignments() {
  local -a found; found=(${(f)"$(nvmlab words assignments "$PREFIX" 2>/dev/null)"})
  if [[ $PREFIX == *=* ]]; then compadd -- $found; else compadd -S '' -- $found; fi
}
_nvmlab() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
)sh";

constexpr const char* kZshAfterCommands = R"sh(    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
)sh";

constexpr const char* kZshEnd = R"sh(  esac
}
if [[ $funcstack[1] == _nvmlab ]]; then _nvmlab "$@"; else compdef _nvmlab nvmlab; fi
)sh";

std::string zsh_action(Complete complete) {
  if (complete == Complete::assignment) return "_nvmlab_assignments";
  if (const auto words = words_of(complete); !words.empty()) {
    return fmt::format("{{ _nvmlab_words {}{} }}", words, takes_files(complete) ? "; _files" : "");
  }
  if (const auto words = fixed_words(complete); !words.empty()) return fmt::format("({})", words);
  return takes_files(complete) ? "_files" : " ";
}

// In '...' within an _arguments specification: brackets and colons mean something there.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c == '\'' ? '"' : c;
  }
  return out;
}

std::string zsh_argument(const ReadyCommand& command, const OptionText& argument) {
  if (command.line().takes_command()) return "(-)*::command:_normal";
  const char* const how_many = argument.many ? "*" : (argument.required ? "" : ":");
  return fmt::format("{}:{}:{}", how_many, argument.name, zsh_action(argument.complete));
}

std::string zsh_arguments(const Application& application, const ReadyCommand& command) {
  std::string out = "_arguments";
  for (const OptionText& option : command.line().options()) {
    const std::string value =
        option.value.empty() ? "" : fmt::format(":{}:{}", option.value, zsh_action(option.complete));
    out += fmt::format(" \\\n        '{}[{}]{}'", option.name, zsh_text(option.help), value);
  }
  for (const OptionText& argument : command.line().arguments())
    out += fmt::format(" \\\n        '{}'", zsh_argument(command, argument));
  if (const auto children = names_below(application, command); !children.empty())
    out += fmt::format(" \\\n        ':command:({})'", fmt::join(children, " "));
  return out;
}

// "profiles show" as one word, with what comes behind it.
std::string zsh_child(const ReadyCommand& command) {
  return fmt::format(
      "  if [[ $command == {0} && $words[2] == {1} ]] && (( CURRENT > 2 )); then\n"
      "    shift words\n    (( CURRENT-- ))\n    command='{0} {1}'\n  fi\n",
      command.parent(), command.leaf());
}

}  // namespace

std::string zsh_completion(const Application& application) {
  std::string out = kZshHead;
  for (const ReadyCommand* command : application.visible()) {
    if (!command->is_below_another())
      out += fmt::format("      '{}:{}'\n", command->leaf(), zsh_text(command->text().summary));
  }
  out += kZshAfterCommands;
  for (const ReadyCommand* command : application.visible()) {
    if (command->is_below_another()) out += zsh_child(*command);
  }
  out += "  case $command in\n";
  for (const ReadyCommand* command : application.visible()) {
    out += fmt::format("    {})\n      {} ;;\n", in_single_quotes(command->text().name, "'\\''"),
                       zsh_arguments(application, *command));
  }
  return out + kZshEnd;
}

}  // namespace nvmlab::tool
