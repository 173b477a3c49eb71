// SPDX-License-Identifier: Apache-2.0
// nvmlab completion: prints the completion script of a shell. Tests: tests/command/completion_test.cpp.
#include "command/completion/completion.hpp"
#include "base/nearest.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

struct Completion {
  std::string shell;

  void declare(CommandLine& line);
  int run() const;
};

void Completion::declare(CommandLine& line) {
  line.argument("SHELL", shell, "bash, zsh or fish").required().complete(Complete::shell);
}

int Completion::run() const {
  const std::string script = completion_script(shell, Application());
  if (script.empty()) return misused(fmt::format("{}: bash, zsh or fish was expected", in_quotes(shell)));
  print(std::string_view(script));
  return kGood;
}

constexpr Example kCompletionExamples[] = {
    {"source <(nvmlab completion bash)", "for the current shell"},
    {"nvmlab completion fish > ~/.config/fish/completions/nvmlab.fish", "for every shell from now on"},
};

}  // namespace

extern const Command kCompletion{
    .name = "completion",
    .summary = "Print a completion script",
    .about = "Prints the completion script of a shell.",
    .examples = kCompletionExamples,
    .declare = declared<Completion>,
};

}  // namespace nvmlab::tool
