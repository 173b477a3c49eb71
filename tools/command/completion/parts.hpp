// SPDX-License-Identifier: Apache-2.0
// What the scripts of all shells ask about the commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command/cli/application.hpp"

namespace nvmlab::tool {

std::string bash_completion(const Application& application);
std::string zsh_completion(const Application& application);
std::string fish_completion(const Application& application);

// What `nvmlab words` calls it; empty where the shell itself knows.
std::string_view words_of(Complete complete);
// A list that never changes; else empty.
std::string_view fixed_words(Complete complete);
bool takes_files(Complete complete);

std::vector<std::string> names_below(const Application& application, const ReadyCommand& command);  // "show", "diff"
std::vector<std::string> top_names(const Application& application);
std::string option_words(const CommandLine& line);  // "--json --help"

std::string in_single_quotes(std::string_view text, std::string_view apostrophe);

}  // namespace nvmlab::tool
