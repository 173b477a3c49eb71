// SPDX-License-Identifier: Apache-2.0
#include "command/completion/parts.hpp"

#include "command/completion/completion.hpp"

namespace nvmlab::tool {

std::string_view words_of(Complete complete) {
  switch (complete) {
    case Complete::profile:
      return "profiles";
    case Complete::scenario:
      return "scenarios";
    case Complete::machine:
      return "machines";
    case Complete::driver:
      return "drivers";
    case Complete::gpu:
      return "gpus";
    case Complete::field:
      return "fields";
    case Complete::assignment:
      return "assignments";
    default:
      return "";
  }
}

std::string_view fixed_words(Complete complete) {
  switch (complete) {
    case Complete::log_level:
      return "off error info trace";
    case Complete::role:
      return "root user mig-config mig-monitor";
    case Complete::kernels:
      return "run skip";
    case Complete::clock_action:
      return "real scaled frozen resume virtual advance";
    case Complete::driver_action:
      return "load unload reload fail heal";
    case Complete::shell:
      return "bash zsh fish";
    case Complete::cudart:
      return "12 13";
    default:
      return "";
  }
}

bool takes_files(Complete complete) {
  return complete == Complete::file || complete == Complete::profile || complete == Complete::scenario;
}

std::vector<std::string> names_below(const Application& application, const ReadyCommand& command) {
  std::vector<std::string> names;
  for (const ReadyCommand* each : application.visible()) {
    if (each->is_below_another() && each->parent() == command.text().name) names.push_back(each->leaf());
  }
  return names;
}

std::vector<std::string> top_names(const Application& application) {
  std::vector<std::string> names;
  for (const ReadyCommand* command : application.visible()) {
    if (!command->is_below_another()) names.push_back(command->leaf());
  }
  return names;
}

std::string option_words(const CommandLine& line) {
  std::string words;
  for (const OptionText& option : line.options())
    words += (words.empty() ? "" : " ") + option.name;
  return words;
}

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

std::string completion_script(std::string_view shell, const Application& application) {
  if (shell == "bash") return bash_completion(application);
  if (shell == "zsh") return zsh_completion(application);
  if (shell == "fish") return fish_completion(application);
  return "";
}

}  // namespace nvmlab::tool
