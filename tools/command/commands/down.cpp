// SPDX-License-Identifier: Apache-2.0
// nvmlab down: takes a machine down. Tests: tests/command/machines_test.cpp.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "control/machines.hpp"

namespace nvmlab::tool {
namespace {

struct Down {
  std::string name{control::kDefaultMachine};
  bool force = false;

  void declare(CommandLine& line);
  int run() const;
};

void Down::declare(CommandLine& line) {
  line.argument("NAME", name, "The machine (default: 'default')").complete(Complete::machine);
  line.flag("-f,--force", force, "Remove the file even if it is no longer a machine");
}

int Down::run() const {
  const auto path = control::machine_path(name);
  if (!path) return misused(path.error());
  const FileProblem problem = control::remove_machine(name);
  const bool ruined = path->ends_with(".store");  // of anything else nobody knows what it was
  if (problem.error == FileError::bad_store && force && ruined) {
    std::error_code failed;
    if (!std::filesystem::remove(*path, failed)) return complain("{}: {}", *path, failed.message());
    print("{} is removed\n", *path);
    return kGood;
  }
  if (problem.error == FileError::bad_store)
    return complain("{}: {}, so it is left alone{}", *path, describe(problem.store),
                    ruined ? fmt::format("; `nvmlab down --force {}` removes it", name) : "");
  if (problem) return complain(control::explain(problem, name, *path));
  print("{} is down\n", name);
  return kGood;
}

constexpr Example kDownExamples[] = {{"nvmlab down ci", "programs still running on it lose their GPUs"}};

}  // namespace

extern const Command kDown{
    .name = "down",
    .summary = "Take a machine down",
    .about = "Takes down a machine that `nvmlab up` brought up, even if its file is damaged.",
    .examples = kDownExamples,
    .declare = declared<Down>,
};

}  // namespace nvmlab::tool
