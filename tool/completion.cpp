// SPDX-License-Identifier: Apache-2.0
#include "tool/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tool/help.hpp"

namespace nvmlab::tool {
namespace {

// What `nvmlab words` calls it; empty where the shell itself knows.
std::string_view words_of(Complete complete) {
  switch (complete) {
    case Complete::profile:
      return "profiles";
    case Complete::machine:
      return "machines";
    case Complete::driver:
      return "drivers";
    case Complete::gpu:
      return "gpus";
    case Complete::field:
    case Complete::assignment:
      return "fields";
    default:
      return "";
  }
}

std::string_view fixed_words(Complete complete) {
  switch (complete) {
    case Complete::log_level:
      return "off error info trace";
    case Complete::role:
      return "root user";
    case Complete::shell:
      return "bash zsh fish";
    default:
      return "";
  }
}

bool takes_files(Complete complete) { return complete == Complete::file || complete == Complete::profile; }

std::string in_single_quotes(std::string_view text, std::string_view apostrophe) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += apostrophe;
    } else {
      out += c;
    }
  }
  return out + "'";
}

// "show" of "profiles show", for each command below the parent.
std::vector<std::string_view> children_of(const Command& parent) {
  std::vector<std::string_view> names;
  for (const Command* command : visible_commands()) {
    if (command->name.starts_with(fmt::format("{} ", parent.name)))
      names.push_back(command->name.substr(parent.name.size() + 1));
  }
  return names;
}

std::vector<std::string_view> top_commands() {
  std::vector<std::string_view> names;
  for (const Command* command : visible_commands()) {
    if (command->name.find(' ') == std::string_view::npos) names.push_back(command->name);
  }
  return names;
}

std::string option_words(const Command& command) {
  std::string words;
  for (const auto options : {command.options, common_options()}) {
    for (const Option& option : options)
      words += fmt::format("{}{}", words.empty() ? "" : " ", option.name);
  }
  return words;
}

// --- bash
// ---------------------------------------------------------------------------------------------------------------

std::string bash_candidates(Complete complete) {
  if (const auto words = words_of(complete); !words.empty()) {
    return fmt::format("_nvmlab_words {}{}", words, takes_files(complete) ? "; _nvmlab_files" : "");
  }
  if (const auto words = fixed_words(complete); !words.empty()) return fmt::format("_nvmlab_offer \"{}\"", words);
  if (takes_files(complete)) return "_nvmlab_files";
  return ":";
}

std::string bash_arms(const Command& command) {
  std::string arms;
  for (const Option& option : command.options) {
    if (option.value.empty()) continue;
    const std::string names =
        option.short_name.empty() ? std::string(option.name) : fmt::format("{}|{}", option.short_name, option.name);
    arms += fmt::format("        {}) {}; return ;;\n", names, bash_candidates(option.complete));
  }
  return arms;
}

std::string bash() {
  std::string out = R"sh(# bash completion for nvmlab; made by `nvmlab completion bash`.
_nvmlab_offer() { local word; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$current"); }
_nvmlab_words() { _nvmlab_offer "$("${COMP_WORDS[0]}" words "$1" 2>/dev/null)"; }
_nvmlab_files() { local word; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current"); compopt -o filenames 2>/dev/null; }
_nvmlab() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
)sh";
  out += fmt::format("  if [[ $COMP_CWORD -eq 1 ]]; then\n    _nvmlab_offer \"{}", fmt::join(top_commands(), " "));
  for (const Option& option : global_options())
    out += fmt::format(" {}", option.name);
  out += "\"; return\n  fi\n  case $command in\n";
  for (const Command* command : visible_commands()) {
    if (command->name.find(' ') != std::string_view::npos) continue;
    out += fmt::format("    {})\n", command->name);
    if (command->takes_command) {
      out +=
          "      local at\n      for ((at = 2; at < COMP_CWORD; ++at)); do\n"
          "        if [[ ${COMP_WORDS[at]} == -- ]]; then\n"
          "          if declare -F _command_offset >/dev/null; then _command_offset $((at + 1)); else _nvmlab_files; "
          "fi\n"
          "          return\n        fi\n      done\n";
    }
    const std::string arms = bash_arms(*command);
    const std::string words = option_words(*command);
    std::string candidates;
    for (const Argument& argument : command->arguments)
      candidates = bash_candidates(argument.complete);
    const auto children = children_of(*command);
    for (const auto name : children) {
      const Command& child = *find_command(fmt::format("{} {}", command->name, name));
      out += fmt::format(
          "      if [[ ${{COMP_WORDS[2]}} == {} && $COMP_CWORD -gt 2 ]]; then\n"
          "        case $previous in\n{}        esac\n"
          "        if [[ $current == -* ]]; then _nvmlab_offer \"{}\"; else {}; fi\n        return\n      fi\n",
          name, bash_arms(child), option_words(child), bash_candidates(child.arguments.front().complete));
    }
    if (!children.empty()) candidates = fmt::format("_nvmlab_offer \"{}\"", fmt::join(children, " "));
    if (!arms.empty()) out += fmt::format("      case $previous in\n{}      esac\n", arms);
    out += fmt::format("      if [[ $current == -* ]]; then _nvmlab_offer \"{}\"; else {}; fi ;;\n", words,
                       candidates.empty() ? ":" : candidates);
  }
  return out + "  esac\n}\ncomplete -F _nvmlab nvmlab\n";
}

// --- zsh
// ----------------------------------------------------------------------------------------------------------------

std::string zsh_action(Complete complete) {
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

std::string zsh_arguments(const Command& command) {
  std::string out = "_arguments";
  for (const auto options : {command.options, common_options()}) {
    for (const Option& option : options) {
      const std::string value =
          option.value.empty() ? "" : fmt::format(":{}:{}", option.value, zsh_action(option.complete));
      out += fmt::format(" \\\n        '{}[{}]{}'", option.name, zsh_text(option.help), value);
    }
  }
  for (const Argument& argument : command.arguments) {
    if (command.takes_command) {
      out += " \\\n        '(-)*::command:_normal'";
    } else {
      out += fmt::format(" \\\n        '{}:{}:{}'", argument.many ? "*" : (argument.required ? "" : ":"), argument.name,
                         zsh_action(argument.complete));
    }
  }
  return out;
}

std::string zsh() {
  std::string out = R"sh(#compdef nvmlab
# zsh completion for nvmlab; made by `nvmlab completion zsh`.
_nvmlab_words() { local -a found; found=(${(f)"$(nvmlab words $1 2>/dev/null)"}); compadd -- $found }
_nvmlab() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
)sh";
  for (const Command* command : visible_commands()) {
    if (command->name.find(' ') == std::string_view::npos) {
      out += fmt::format("      '{}:{}'\n", command->name, zsh_text(command->summary));
    }
  }
  out +=
      "    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n  shift words\n  (( "
      "CURRENT-- ))\n";
  for (const Command* command : visible_commands()) {
    const std::size_t space = command->name.find(' ');
    if (space == std::string_view::npos) continue;
    out += fmt::format(
        "  if [[ $command == {0} && $words[2] == {1} ]] && (( CURRENT > 2 )); then\n"
        "    shift words\n    (( CURRENT-- ))\n    command='{0} {1}'\n  fi\n",
        command->name.substr(0, space), command->name.substr(space + 1));
  }
  out += "  case $command in\n";
  for (const Command* command : visible_commands()) {
    std::string arguments = zsh_arguments(*command);
    if (const auto children = children_of(*command); !children.empty())
      arguments += fmt::format(" \\\n        ':command:({})'", fmt::join(children, " "));
    out += fmt::format("    {})\n      {} ;;\n", in_single_quotes(command->name, "'\\''"), arguments);
  }
  return out + "  esac\n}\nif [[ $funcstack[1] == _nvmlab ]]; then _nvmlab \"$@\"; else compdef _nvmlab nvmlab; fi\n";
}

// --- fish
// ---------------------------------------------------------------------------------------------------------------

std::string fish_candidates(Complete complete) {
  if (const auto words = words_of(complete); !words.empty()) {
    return fmt::format(" -{}a '(nvmlab words {} 2>/dev/null)'", takes_files(complete) ? "" : "f", words);
  }
  if (const auto words = fixed_words(complete); !words.empty()) return fmt::format(" -fa '{}'", words);
  return takes_files(complete) ? " -F" : " -f";
}

std::string fish() {
  std::string out = "# fish completion for nvmlab; made by `nvmlab completion fish`.\ncomplete -c nvmlab -f\n";
  for (const Option& option : global_options()) {
    out += fmt::format("complete -c nvmlab -n __fish_use_subcommand -l {} -d {}\n", option.name.substr(2),
                       in_single_quotes(option.help, "\\'"));
  }
  for (const Command* command : visible_commands()) {
    const std::size_t space = command->name.find(' ');
    const std::string_view parent = command->name.substr(0, space);
    const std::string_view leaf = space == std::string_view::npos ? parent : command->name.substr(space + 1);
    const std::string offered = space == std::string_view::npos
                                    ? "__fish_use_subcommand"
                                    : fmt::format("'__fish_seen_subcommand_from {}'", parent);
    const std::string inside = fmt::format("'__fish_seen_subcommand_from {}'", leaf);
    out +=
        fmt::format("complete -c nvmlab -n {} -a {} -d {}\n", offered, leaf, in_single_quotes(command->summary, "\\'"));
    for (const auto options : {command->options, common_options()}) {
      for (const Option& option : options) {
        out += fmt::format("complete -c nvmlab -n {} -l {}", inside, option.name.substr(2));
        if (!option.short_name.empty()) out += fmt::format(" -s {}", option.short_name.substr(1));
        if (!option.value.empty()) out += fmt::format(" -r{}", fish_candidates(option.complete));
        out += fmt::format(" -d {}\n", in_single_quotes(option.help, "\\'"));
      }
    }
    for (const Argument& argument : command->arguments) {
      const std::string candidates =
          command->takes_command ? " -xa '(__fish_complete_subcommand)'" : fish_candidates(argument.complete);
      out += fmt::format("complete -c nvmlab -n {}{}\n", inside, candidates);
    }
  }
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return "";
}

}  // namespace nvmlab::tool
