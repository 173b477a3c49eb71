// SPDX-License-Identifier: Apache-2.0
// nvmlab completion: prints the completion script of a shell. Tests: tests/tool/completion_test.cpp.
#include "tool/completion.hpp"

#include "base/nearest.hpp"
#include "tool/commands/run_functions.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {

int run_completion(const Arguments& arguments) {
  const std::string shell = *arguments.one("SHELL");
  const std::string script = completion_script(shell);
  if (script.empty()) return misused(fmt::format("{}: bash, zsh or fish was expected", in_quotes(shell)));
  print(std::string_view(script));
  return kGood;
}

}  // namespace nvmlab::tool
