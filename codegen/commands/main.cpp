// SPDX-License-Identifier: Apache-2.0
// nvmlgen: from NVIDIA's headers to facts, from facts to generated code. Covered by
// tests/unit/codegen/command_test.cpp.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>

#include "codegen/commands/commands.hpp"
#include "codegen/io/files.hpp"

namespace nvmlab::codegen {
namespace {

constexpr std::array commands{
    Command{"fetch", "List where NVIDIA's headers can be had, or get one into the cache", declare_fetch},
    Command{"extract", "Read headers or a driver's symbols into model/facts/", declare_extract},
    Command{"write", "Write the generated code from the model", declare_write},
    Command{"check", "Compare the generated code with the model, both ways", declare_check},
    Command{"diff", "Say what changed from one release to another", declare_diff},
    Command{"stats", "Count what a release holds, or all releases", declare_stats},
    Command{"validate", "Hold the facts against a header and the machine's C compiler", declare_validate},
    Command{"explain", "Tell everything that is known about a name", declare_explain},
};

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

Result<int> run_in(const Global& global, const Run& run) {
  auto root =
      global.root.empty() ? find_root(std::filesystem::current_path()) : Result<std::filesystem::path>(global.root);
  if (!root) return std::unexpected(root.error());
  return run(*root);
}

int main_of(int argc, char** argv) {
  CLI::App app{about, "nvmlgen"};
  app.require_subcommand(1);
  app.fallthrough();
  Global global;
  app.add_option("--root", global.root, "Root of the source tree; default: found from the current folder upward")
      ->type_name("DIR");
  std::array<Run, commands.size()> runs;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    commands[i].declare(*app.add_subcommand(commands[i].name, commands[i].summary), runs[i]);
  }
  app.footer(footer);  // last: a subcommand takes over the footer that is there when it is added
  CLI11_PARSE(app, argc, argv);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (!app.got_subcommand(commands[i].name)) continue;
    const Result<int> result = run_in(global, runs[i]);
    if (result) return *result;
    fmt::print(stderr, "nvmlgen {}: {}\n", commands[i].name, result.error().text());
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
