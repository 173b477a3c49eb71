// SPDX-License-Identifier: Apache-2.0
// Options that several commands have, so that each means the same everywhere.
// Tests: tests/unit/command/commands_test.cpp, tests/unit/command/shared_options_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "command/cli/command_line.hpp"
#include "compiler/compile.hpp"

namespace nvmlab::tool {

void add_profile(CommandLine& line, std::optional<std::string>& profile);
void add_compile_options(CommandLine& line, compiler::CompileOptions& options);  // --gpus, --driver
void add_machine(CommandLine& line, std::string& machine);                       // for control::chosen_machine()
void add_gpu_selection(CommandLine& line, std::string& gpus);                    // for control::select_gpus()
void add_library(CommandLine& line, std::string& library);                       // for open_nvml()
// A branch or a version, found good.
void add_driver(CommandLine& line, std::optional<std::string>& driver, const char* help);
void add_output(CommandLine& line, std::string& file, const char* help);
void add_unsupported_fields(CommandLine& line, bool& unsupported);  // --all of a listing
void add_json(CommandLine& line, bool& json);

}  // namespace nvmlab::tool
