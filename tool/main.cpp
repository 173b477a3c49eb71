// SPDX-License-Identifier: Apache-2.0
//
// The nvmlab command: finds the command that the user asked for and runs it. What each command does is in
// tool/commands/. Tests: tests/tool/.
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "tool/cli/application.hpp"
#include "tool/cli/help.hpp"
#include "tool/cli/output.hpp"

namespace nvmlab::tool {
namespace {

// `trouble` becomes the exit code of a command that does not come to its end.
int run(const std::vector<std::string>& words, int& trouble) {
  Application application;
  const auto call = application.parse(words);
  if (!call) return misused(call.error());
  if (!call->text.empty()) {
    print(std::string_view(call->text));
    return kGood;
  }
  if (call->command == nullptr) {
    print_problem(usage(application));
    return misused("a command is missing; `nvmlab help COMMAND` says more about each");
  }
  // The program that `run` becomes hears it from the driver.
  if (call->command->text().name != "run") complain_all(misspelt_variables());
  trouble = call->command->text().trouble;
  return call->command->run();
}

}  // namespace
}  // namespace nvmlab::tool

int main(int argc, char** argv) {
  using namespace nvmlab::tool;
  int trouble = kFailed;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with a sentence
  try {
    const int code = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), trouble);
    return finish_output() ? code : trouble;
  } catch (const std::exception& error) {  // out of memory and the like
    complain("{}", error.what());
  }
  finish_output();
  return trouble;
}
