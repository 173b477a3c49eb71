// SPDX-License-Identifier: Apache-2.0
// nvmlgen: from NVIDIA's headers to facts, from facts to generated code. Covered by
// tests/unit/codegen/command_test.cpp.
#include <fmt/format.h>

#include <array>
#include <cstdio>

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

Result<int> run_in(const Global& global, const Run& run) {
  auto root =
      global.root.empty() ? find_root(std::filesystem::current_path()) : Result<std::filesystem::path>(global.root);
  if (!root) return std::unexpected(root.error());
  return run(*root);
}

int main_of(int argc, char** argv) {
  CLI::App app{"nvmlgen: NVIDIA's nvml.h as facts, and the code that is generated from them", "nvmlgen"};
  app.require_subcommand(1);
  app.fallthrough();
  Global global;
  app.add_option("--root", global.root, "Root of the source tree; default: found from the current folder upward")
      ->type_name("DIR");
  std::array<Run, commands.size()> runs;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    commands[i].declare(*app.add_subcommand(commands[i].name, commands[i].summary), runs[i]);
  }
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

int main(int argc, char** argv) { return nvmlab::codegen::main_of(argc, argv); }
