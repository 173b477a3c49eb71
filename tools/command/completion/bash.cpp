// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command/completion/parts.hpp"

namespace nvmlab::tool {
namespace {

constexpr const char* kBashHead = R"sh(# bash completion for nvmlab; made by `nvmlab completion bash`.
_nvmlab_offer() { local word; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$current"); }
_nvmlab_words() { _nvmlab_offer "$("${COMP_WORDS[0]}" words "$1" 2>/dev/null)"; }
_nvmlab_assignments() {  # bash may take "field=value" for three words
  local field= all
  if [[ $current == = ]]; then field=$previous=; current=; elif [[ $previous == = ]]; then field=${COMP_WORDS[COMP_CWORD-2]}=; fi
  all=$("${COMP_WORDS[0]}" words assignments "$field$current" 2>/dev/null)
  [[ $current == *=* || -n $field ]] || compopt -o nospace 2>/dev/null
  _nvmlab_offer "${all//$field/}"
}
_nvmlab_files() { local word; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current"); compopt -o filenames 2>/dev/null; }
_nvmlab() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
)sh";

// Behind "--" the words are another program's.
constexpr const char* kBashForeignCommand = R"sh(      local at
      for ((at = 2; at < COMP_CWORD; ++at)); do
        if [[ ${COMP_WORDS[at]} == -- ]]; then
          if declare -F _command_offset >/dev/null; then _command_offset $((at + 1)); else _nvmlab_files; fi
          return
        fi
      done
)sh";

std::string bash_candidates(Complete complete) {
  if (complete == Complete::assignment) return "_nvmlab_assignments";
  if (const auto words = words_of(complete); !words.empty()) {
    return fmt::format("_nvmlab_words {}{}", words, takes_files(complete) ? "; _nvmlab_files" : "");
  }
  if (const auto words = fixed_words(complete); !words.empty()) return fmt::format("_nvmlab_offer \"{}\"", words);
  if (takes_files(complete)) return "_nvmlab_files";
  return ":";
}

std::string bash_arms(const ReadyCommand& command) {
  std::string arms;
  for (const OptionText& option : command.line().options()) {
    if (option.value.empty()) continue;
    std::string names = option.short_name;
    names += (names.empty() ? "" : "|") + option.name;
    arms += fmt::format("        {}) {}; return ;;\n", names, bash_candidates(option.complete));
  }
  return arms;
}

// What stands where no option does; a command's arguments are all of the kind of the first, or files.
std::string bash_arguments(const ReadyCommand& command) {
  const auto arguments = command.line().arguments();
  return arguments.empty() ? ":" : bash_candidates(arguments.front().complete);
}

std::string bash_child(const ReadyCommand& child) {
  return fmt::format(
      "      if [[ ${{COMP_WORDS[2]}} == {} && $COMP_CWORD -gt 2 ]]; then\n"
      "        case $previous in\n{}        esac\n"
      "        if [[ $current == -* ]]; then _nvmlab_offer \"{}\"; else {}; fi\n        return\n      fi\n",
      child.leaf(), bash_arms(child), option_words(child.line()), bash_arguments(child));
}

std::string bash_command(const Application& application, const ReadyCommand& command) {
  std::string out = fmt::format("    {})\n", command.leaf());
  if (command.line().takes_command()) out += kBashForeignCommand;
  const auto children = names_below(application, command);
  for (const std::string& name : children)
    out += bash_child(*application.find(fmt::format("{} {}", command.leaf(), name)));
  if (const std::string arms = bash_arms(command); !arms.empty())
    out += fmt::format("      case $previous in\n{}      esac\n", arms);
  const std::string candidates =
      children.empty() ? bash_arguments(command) : fmt::format("_nvmlab_offer \"{}\"", fmt::join(children, " "));
  return out + fmt::format("      if [[ $current == -* ]]; then _nvmlab_offer \"{}\"; else {}; fi ;;\n",
                           option_words(command.line()), candidates);
}

}  // namespace

std::string bash_completion(const Application& application) {
  std::string out = kBashHead;
  out += fmt::format("  if [[ $COMP_CWORD -eq 1 ]]; then\n    _nvmlab_offer \"{} {}\"; return\n  fi\n",
                     fmt::join(top_names(application), " "), option_words(application.line()));
  out += "  case $command in\n";
  for (const ReadyCommand* command : application.visible()) {
    if (!command->is_below_another()) out += bash_command(application, *command);
  }
  return out + "  esac\n}\ncomplete -F _nvmlab nvmlab\n";
}

}  // namespace nvmlab::tool
