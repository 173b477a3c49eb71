// SPDX-License-Identifier: Apache-2.0
//
// nvmlab validate: everything that is wrong with profiles, as "file:line:column: message". Tests:
// tests/tool/profiles_test.cpp.
#include "tool/commands/run_functions.hpp"
#include "tool/output.hpp"
#include "tool/sources.hpp"
#include "tool/summary.hpp"

namespace nvmlab::tool {

int run_validate(const Arguments& arguments) {
  const std::vector<std::string>& files = arguments.all("FILE");
  std::size_t bad = 0;
  std::size_t problems = 0;
  for (const std::string& file : files) {
    const auto machine = load_machine(as_profile(file), {});
    if (machine) {
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

}  // namespace nvmlab::tool
