// SPDX-License-Identifier: Apache-2.0
//
// The tests' own tools: a runner that loses output or leaves children behind would make every client test lie.
#include "tests/support/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX, not C++

#include <chrono>
#include <string>
#include <thread>

#include "tests/support/clients.hpp"
#include "tests/support/files.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::test {
namespace {

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"sh", "-c", script};
  return command;
}

TEST(Process, GivesOutputAndExitCode) {
  const auto outcome = run(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, "err\n");
  EXPECT_FALSE(outcome.ok());
  EXPECT_NE(outcome.story().find("exit code 7"), std::string::npos);
}

TEST(Process, PassesInputAndEnvironment) {
  auto command = shell("cat; printf '%s-%s' \"$ADDED\" \"${HOME-none}\"");
  command.input = std::string(1'000'000, 'x');  // more than a pipe holds
  command.environment = {{"ADDED", "yes"}, {"HOME", std::nullopt}};
  const auto outcome = run(command);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.out, command.input + "yes-none");
}

TEST(Process, DoesNotMindACommandThatReadsNoInput) {
  auto command = shell("exec 0<&-; echo done");
  command.input = std::string(1'000'000, 'x');
  EXPECT_EQ(run(command).out, "done\n");
}

TEST(Process, ReportsTheSignal) {
  const auto outcome = run(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_EQ(outcome.exit_code, -1);
}

TEST(Process, SaysWhyACommandCannotStart) {
  Command command;
  command.arguments = {"/nonexistent/program"};
  const auto outcome = run(command);
  EXPECT_NE(outcome.failure.find("No such file"), std::string::npos) << outcome.failure;
  EXPECT_FALSE(outcome.ok());
}

// Gone or waiting to be reaped: it does not run on. On a busy machine a signal is on its way for a moment.
void expect_end_of(pid_t process) {
  EXPECT_TRUE(eventually([process] {
    const std::string state = read_file("/proc/" + std::to_string(process) + "/stat").value_or(") Z");
    return state[state.rfind(')') + 2] == 'Z';
  }));
}

TEST(Process, KillsTheWholeGroupAtTheTimeLimit) {
  auto command = shell("tail -f /dev/null & echo $!; tail -f /dev/null");
  Outcome outcome;
  // The limit is long enough when the shell has printed.
  for (command.time_limit = std::chrono::milliseconds{100}; outcome.out.empty(); command.time_limit *= 2) {
    outcome = run(command);
    ASSERT_TRUE(outcome.timed_out) << outcome.story();
  }
  expect_end_of(std::stoi(outcome.out));
}

TEST(Process, StopsWhenACommandHasPrintedEnough) {
  auto command = shell("tail -f /dev/null & echo $!; tail -f /dev/null");
  command.enough = [](const std::string& out, pid_t process) { return !out.empty() && is_blocked(process); };
  const auto outcome = run(command);
  EXPECT_TRUE(outcome.stopped) << outcome.story();
  EXPECT_FALSE(outcome.timed_out);
  expect_end_of(std::stoi(outcome.out));
}

TEST(Process, WritesWhatEndsACommand) {
  auto command = shell("read first; echo $first; while read -r word; do [ $word = end ] && exit 3; done");
  command.input = "first\n";
  command.enough = [](const std::string& out, pid_t) { return out == "first\n"; };
  command.ending = "end\n";
  EXPECT_EQ(run(command).exit_code, 3);
}

TEST(Process, StopsAFloodOfOutput) {
  auto command = shell("yes");
  command.max_output = 1 << 20;
  const auto outcome = run(command);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_LT(outcome.out.size(), std::size_t{2} << 20);
}

TEST(Files, TempFolderIsRemoved) {
  std::filesystem::path kept;
  {
    const TempFolder folder;
    kept = folder.path();
    EXPECT_TRUE(write_file(kept / "deep" / "file", "text"));
    EXPECT_EQ(read_file(kept / "deep" / "file"), "text");
  }
  EXPECT_FALSE(std::filesystem::exists(kept));
  EXPECT_EQ(read_file(kept / "deep" / "file"), std::nullopt);
}

TEST(Clients, AMissingOneSaysHowToGetIt) {
  const auto client = find_client("nvidia-smi-1");
  ASSERT_FALSE(client);
  EXPECT_NE(client.error().find("scripts/fetch-clients nvidia-smi-1"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::test
