// SPDX-License-Identifier: Apache-2.0
// nvmlgen: from NVIDIA's headers to facts, from facts to generated code. Covered by
// tests/unit/codegen/command_test.cpp.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "codegen/commands/command.hpp"
#include "codegen/io/files.hpp"

// In the order in which `nvmlgen --help` lists them, one row each.
#define NVMLGEN_COMMANDS(row)                                                                                    \
  row(kFetch) row(kExtract) row(kExtractCuda) row(kExtractCudart) row(kWrite) row(kCheck) row(kDiff) row(kStats) \
      row(kValidate) row(kExplain)

namespace nvmlab::codegen {

#define NVMLGEN_DECLARE(name) extern const Command name;
NVMLGEN_COMMANDS(NVMLGEN_DECLARE)

namespace {

#define NVMLGEN_ADDRESS(name) &(name),
constexpr const Command* commands[] = {NVMLGEN_COMMANDS(NVMLGEN_ADDRESS)};

constexpr const char* about = "nvmlgen: from NVIDIA's headers to facts, from facts to generated code.";

constexpr const char* footer = R"(
How it fits together
  NVIDIA's nvml.h is not in this repository. `fetch` gets headers into build/headers, `extract` reads them into
  model/facts/nvml.json (names, types, values, layouts, and the releases between which each held; no prose), `write` makes the
  generated/ folders from facts, model/meaning and model/state, and `check` tells whether they are what the model gives.
  Only `fetch`, `extract` and `validate` need a header.

When NVIDIA publishes a release
  nvmlgen fetch 13.6            get the newest 13.6 header, from wherever this machine can have it
  nvmlgen extract build/headers/13.6.*/nvml.h
  nvmlgen validate              hold the new facts against the C compiler
  nvmlgen diff 13.5 13.6        what came, went and moved
  nvmlgen write                 stops at each new function that has no verdict in model/meaning yet

Questions
  nvmlgen explain nvmlDeviceGetMemoryInfo_v2       signature, family, history, drivers that export it, struct versions
  nvmlgen stats; nvmlgen stats 12.9                all releases in a line each; one in detail

Exit code: 0 fine; 1 the answer is no (check found differences, validate found wrong facts); 2 an error, described on stderr as
file:line:column where there is a file.)";

Result<int> run_in(const std::string& root, const Run& run) {
  auto found = root.empty() ? find_root(std::filesystem::current_path()) : Result<std::filesystem::path>(root);
  if (!found) return std::unexpected(found.error());
  return run(*found);
}

int main_of(int argc, char** argv) {
  CLI::App app{about, "nvmlgen"};
  app.require_subcommand(1);
  app.fallthrough();
  std::string root;
  app.add_option("--root", root, "Root of the source tree; default: found from the current folder upward")
      ->type_name("DIR");
  std::vector<Run> runs;
  for (const Command* command : commands)
    runs.push_back(command->declare(*app.add_subcommand(command->name, command->summary)));
  app.footer(footer);  // last: a subcommand takes over the footer that is there when it is added
  CLI11_PARSE(app, argc, argv);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!app.got_subcommand(commands[i]->name)) continue;
    const Result<int> result = run_in(root, runs[i]);
    if (result) return *result;
    fmt::print(stderr, "nvmlgen {}: {}\n", commands[i]->name, result.error().text());
    return 2;
  }
  return 2;
}

}  // namespace

std::filesystem::path registry_path(const std::filesystem::path& root) {
  return root / "model" / "facts" / "nvml.json";
}
std::filesystem::path drivers_path(const std::filesystem::path& root) {
  return root / "model" / "facts" / "drivers.json";
}
std::filesystem::path header_cache(const std::filesystem::path& root) { return root / "build" / "headers"; }

}  // namespace nvmlab::codegen

int main(int argc, char** argv) {
  try {
    return nvmlab::codegen::main_of(argc, argv);
  } catch (const std::exception& error) {  // out of memory and the like
    std::fprintf(stderr, "nvmlgen: %s\n", error.what());
  }
  return 2;
}
