// SPDX-License-Identifier: Apache-2.0
// A command of nvmlgen is one file in this folder that defines a `Command`, and one row in main.cpp.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <functional>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

// Prints results and returns the process's exit code: 0 for success, 1 for "no" (check found differences). An error is
// described on stderr, and the exit code is 2.
using Run = std::function<Result<int>(const std::filesystem::path& root)>;

struct Command {
  const char* name;
  const char* summary;
  Run (*declare)(CLI::App& app);  // declares the options on the command's own app; what it returns sees their values
};

std::filesystem::path registry_path(const std::filesystem::path& root);
std::filesystem::path drivers_path(const std::filesystem::path& root);
std::filesystem::path header_cache(const std::filesystem::path& root);  // build/headers; git ignores it

}  // namespace nvmlab::codegen
