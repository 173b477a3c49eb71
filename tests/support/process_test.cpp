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

TEST(Process, KillsTheWholeGroupAtTheTimeLimit) {
  auto command = shell("sleep 60 & echo $!; sleep 60");
  command.time_limit = std::chrono::milliseconds{300};
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = run(command);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10});
  const auto grandchild = std::stoi(outcome.out);
  // Gone or waiting to be reaped: it must not run on. A signal is on its way for a moment on a busy machine.
  std::string state;
  for (const auto end = begin + std::chrono::seconds{20}; std::chrono::steady_clock::now() < end;) {
    state = read_file("/proc/" + std::to_string(grandchild) + "/stat").value_or(") Z");
    if (state[state.rfind(')') + 2] == 'Z') break;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  EXPECT_EQ(state[state.rfind(')') + 2], 'Z') << state;
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
