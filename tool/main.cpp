// SPDX-License-Identifier: Apache-2.0
//
// The nvmlab command: finds the row of the table that the user asked for and runs it. What each command does is in
// tool/commands/. Tests: tests/tool/.
#include <exception>
#include <string>
#include <vector>

#include "tool/arguments.hpp"
#include "tool/help.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {
namespace {

// `trouble` becomes the exit code of a command that does not come to its end.
int run(const std::vector<std::string>& words, int& trouble) {
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
  trouble = parsed->command->trouble;
  return parsed->command->run(parsed->arguments);
}

}  // namespace
}  // namespace nvmlab::tool

int main(int argc, char** argv) {
  using namespace nvmlab::tool;
  int trouble = kFailed;
  try {
    const int code = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), trouble);
    return finish_output() ? code : trouble;
  } catch (const std::exception& error) {  // out of memory and the like
    complain("{}", error.what());
  }
  finish_output();
  return trouble;
}
