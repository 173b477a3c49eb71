// SPDX-License-Identifier: Apache-2.0
//
// The nvmlab command: finds the row of the table that the user asked for and runs it. What each command does is in
// tool/commands/. Tests: tests/cli/.
#include <exception>
#include <string>
#include <vector>

#include "tool/arguments.hpp"
#include "tool/help.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {
namespace {

int run(const std::vector<std::string>& words) {
  const auto parsed = parse(words);
  if (!parsed) return misused(parsed.error());
  if (parsed->help) {
    print(std::string_view(parsed->command != nullptr ? help(*parsed->command) : help()));
    return kGood;
  }
  if (parsed->version) {
    print("{}\n", version());
    return kGood;
  }
  if (parsed->command == nullptr) return misused("a command is missing; `nvmlab --help` lists them");
  return parsed->command->run(parsed->arguments);
}

}  // namespace
}  // namespace nvmlab::tool

int main(int argc, char** argv) {
  using namespace nvmlab::tool;
  int code = kFailed;
  try {
    code = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {  // out of memory and the like
    complain("{}", error.what());
  }
  return finish_output() ? code : kFailed;
}
