// SPDX-License-Identifier: Apache-2.0
//
// The nvmlab command: finds the command that the user asked for and runs it. What each command does is in
// tools/command/commands/. Tests: tests/command/.
#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "command/cli/application.hpp"
#include "command/cli/help.hpp"
#include "command/cli/output.hpp"

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

// What follows the program's name; under the name of that mock's control program, it is `nvmlab mock`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string_view name = argc > 0 ? argv[0] : "";
  if (name.substr(name.rfind('/') + 1) == "nvml-mock-ctl") words.insert(words.begin(), "mock");
  return words;
}

}  // namespace
}  // namespace nvmlab::tool

int main(int argc, char** argv) {
  using namespace nvmlab::tool;
  int trouble = kFailed;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with a sentence
  try {
    const int code = run(words_of(argc, argv), trouble);
    return finish_output() ? code : trouble;
  } catch (const std::exception& error) {  // out of memory and the like
    complain("{}", error.what());
  }
  finish_output();
  return trouble;
}
