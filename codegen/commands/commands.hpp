// SPDX-License-Identifier: Apache-2.0
// nvmlgen's subcommands: one file each, one row each in main.cpp. A command declares its options on its CLI11 sub-app
// and leaves what to run in `run`; it prints results to `out` and returns the process's exit code, 0 for success, 1 for
// "no" (check found differences), 2 for an error that it has described on stderr.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

// Options before the subcommand.
struct Global {
  std::string root;  // empty: found from the current folder upward
};

// A command body: its exit code, or an error to be printed.
using Run = std::function<Result<int>(const std::filesystem::path& root)>;

struct Command {
  const char* name;
  const char* summary;
  void (*declare)(CLI::App& app, Run& run);
};

void declare_fetch(CLI::App& app, Run& run);
void declare_extract(CLI::App& app, Run& run);
void declare_write(CLI::App& app, Run& run);
void declare_check(CLI::App& app, Run& run);
void declare_diff(CLI::App& app, Run& run);
void declare_stats(CLI::App& app, Run& run);
void declare_explain(CLI::App& app, Run& run);
void declare_validate(CLI::App& app, Run& run);

std::filesystem::path registry_path(const std::filesystem::path& root);
std::filesystem::path drivers_path(const std::filesystem::path& root);
std::filesystem::path header_cache(const std::filesystem::path& root);  // build/headers; git ignores it

}  // namespace nvmlab::codegen
