// SPDX-License-Identifier: Apache-2.0
//
// nvmlab validate: everything that is wrong with profiles, as "file:line:column: message". Tests:
// tests/command/profiles_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/profile/sources.hpp"
#include "command/profile/summary.hpp"

namespace nvmlab::tool {
namespace {

struct Validate {
  std::vector<std::string> files;

  void declare(CommandLine& line);
  int run() const;
};

void Validate::declare(CommandLine& line) {
  line.argument("FILE", files, "A profile of a GPU or a machine, or a .machine file")
      .required()
      .complete(Complete::file);
}

int Validate::run() const {
  std::size_t bad = 0;
  std::size_t problems = 0;
  for (const std::string& file : files) {
    const auto machine = load_machine(as_profile(file), {});
    if (machine) {
      for (const auto& note : machine->notes)
        print_problem(note.text());
      print("{}: good: {}\n", file, summary_of(*machine));
      continue;
    }
    ++bad;
    problems += machine.error().size();
    for (const std::string& line : machine.error())
      print_problem(line);
  }
  if (bad == 0) return kGood;
  return complain("{} problem{} in {} of {} file{}", problems, problems == 1 ? "" : "s", bad, files.size(),
                  files.size() == 1 ? "" : "s");
}

constexpr Example kValidateExamples[] = {
    {"nvmlab validate profiles/*.yaml", "in CI: exit code 1 if anything is wrong"}};

}  // namespace

extern const Command kValidate{
    .name = "validate",
    .summary = "Check profiles",
    .about =
        "Checks profiles and reports every problem with file, line, column, what was found and what would be right.",
    .examples = kValidateExamples,
    .declare = declared<Validate>,
};

}  // namespace nvmlab::tool
