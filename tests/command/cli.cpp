// SPDX-License-Identifier: Apache-2.0
#include "tests/command/cli.hpp"

#include <algorithm>

namespace nvmlab::test {

Outcome Cli::run_with_environment(Words words) const {
  Command command;
  command.arguments = std::move(words);
  command.environment = environment_;
  command.environment.try_emplace("NVMLAB_RUNTIME_DIR", file("machines"));
  command.environment.try_emplace("nvmlab", program());
  command.environment.try_emplace("probe", probe());
  command.environment.try_emplace("LC_ALL", "C.UTF-8");
  command.environment.try_emplace("TZ", "UTC");
  return run(command);
}

Outcome Cli::nvmlab(Words words) const {
  words.insert(words.begin(), program());
  return run_with_environment(std::move(words));
}

Outcome Cli::shell(const std::string& script) const {
  const std::string waiting = ". " + (source_folder() / "tests/support/waiting.sh").string() + "\n";
  return run_with_environment({"bash", "-c", waiting + script});
}

std::string Cli::good(Words words) const {
  const Outcome outcome = nvmlab(std::move(words));
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

std::string Cli::bad(int code, Words words) const {
  const Outcome outcome = nvmlab(std::move(words));
  EXPECT_EQ(outcome.exit_code, code) << outcome.story();
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("nvmlab: ") && outcome.err.ends_with('\n')) << outcome.err;
  return outcome.err.size() > 9 ? outcome.err.substr(8, outcome.err.size() - 9) : "";
}

}  // namespace nvmlab::test
