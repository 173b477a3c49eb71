// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts made from the commands' CLI11 apps. Names that only exist at run time (machines that are up,
// profiles, fields) come from `nvmlab words KIND`. Tests: tests/command/completion_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "command/cli/application.hpp"

namespace nvmlab::tool {

// Of "bash", "zsh" or "fish"; empty for others.
std::string completion_script(std::string_view shell, const Application& application);

}  // namespace nvmlab::tool
