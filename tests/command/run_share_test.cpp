// SPDX-License-Identifier: Apache-2.0
// nvmlab run --share: a machine for a command and all that it starts.
#include <filesystem>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class RunShare : public Cli {
 protected:
  std::string up_now() const { return nvmlab({"ls"}).out; }
  void expect_nothing_is_up() const {
    const auto outcome = nvmlab({"ls"});
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("no machine is up"));
  }
};

TEST_F(RunShare, WhatOneProcessSetsTheOthersSee) {
  EXPECT_THAT(good({"run", "--share", "--profile", "t4", "--gpus", "2", "--driver", "550", "--", "sh", "-c",
                    "$nvmlab set --gpu 1 power.limit_mw=65000 && $probe 1"}),
              StartsWith("gpus=2 driver=550.163.01 name=Tesla T4 limit=65000"));
  expect_nothing_is_up();
}

TEST_F(RunShare, OthersReachItByItsName) {
  EXPECT_THAT(good({"run", "--share=ci", "-p", "t4", "--", "sh", "-c", "unset NVMLAB_MACHINE; $nvmlab ls"}),
              HasSubstr("ci    t4"));
  expect_nothing_is_up();
  EXPECT_THAT(good({"run", "--share", "-p", "t4", "--", "sh", "-c", "echo $NVMLAB_MACHINE"}), StartsWith("run-"));
  // The word behind it is the command, not a name.
  EXPECT_EQ(good({"run", "--share", "echo", "ci"}), "ci\n");
  const std::string path = file("node.store");
  EXPECT_EQ(good({"run", "--share=" + path, "--", "sh", "-c", "cd /; echo $NVMLAB_MACHINE"}), path + "\n");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RunShare, ANameThatIsUpIsRefused) {
  good({"up", "ci", "--profile", "t4"});
  EXPECT_THAT(bad(1, {"run", "--share=ci", "--", "true"}), HasSubstr("a machine 'ci' is up already"));
  EXPECT_THAT(up_now(), HasSubstr("ci")) << "it was nobody's to take down";
  EXPECT_THAT(bad(1, {"run", "--share=.x", "--", "true"}), HasSubstr("cannot be the name of a machine"));
  EXPECT_THAT(bad(2, {"run", "--share", "--machine", "ci", "--", "true"}), HasSubstr("cannot be used together"));
  EXPECT_THAT(bad(1, {"run", "--share=" + file("no/folder/x.store"), "--", "true"}), HasSubstr("does not exist"));
}

TEST_F(RunShare, EndsAsTheCommandDoesAndTakesTheMachineDown) {
  EXPECT_EQ(nvmlab({"run", "--share=a", "--", "sh", "-c", "exit 7"}).exit_code, 7);
  EXPECT_EQ(nvmlab({"run", "--share=a", "--", "sh", "-c", "kill -KILL $$"}).signal, 9);
  EXPECT_EQ(nvmlab({"run", "--share=a", "--", "sh", "-c", "kill -SEGV $$"}).signal, 11);
  EXPECT_EQ(nvmlab({"run", "--share=a", "--", "no-such-program"}).exit_code, 127);
  EXPECT_EQ(nvmlab({"run", "--share=a", "--", "/"}).exit_code, 126);
  EXPECT_EQ(nvmlab({"run", "--share=a", "--", "sh", "-c", "$nvmlab down a; exit 3"}).exit_code, 3);
  expect_nothing_is_up();
}

// The command took it down and somebody else brought one of that name up, which is not ours to take down.
TEST_F(RunShare, LeavesAnotherMachineOfItsNameAlone) {
  EXPECT_EQ(nvmlab({"run", "--share=a", "--", "sh", "-c", "$nvmlab down a; $nvmlab up a -p t4"}).exit_code, 0);
  EXPECT_THAT(up_now(), HasSubstr("a     t4"));
}

// With a seed and a virtual clock, a run is every run.
TEST_F(RunShare, TakesAClockAndASeedAsUpDoes) {
  const std::string script =
      "$nvmlab clock; $nvmlab clock advance 90s; $nvmlab event --gpu 1 xid 79; $nvmlab get --gpu 1 identity.uuid; "
      "$nvmlab log; $nvmlab snapshot save --force " +
      file("run.snapshot");
  const std::vector<std::string> words{"run", "--share",  "--clock", "virtual", "--seed", "7",
                                       "-p",  "dgx-h100", "--",      "sh",      "-c",     script};
  const auto bytes = [this] { return std::filesystem::file_size(file("run.snapshot")); };
  const std::string first = good(words);
  EXPECT_THAT(first, StartsWith("mode  virtual\n"));
  const auto size = bytes();
  const std::string kept = file("first.snapshot");
  std::filesystem::rename(file("run.snapshot"), kept);
  good(words);
  EXPECT_EQ(bytes(), size);
  EXPECT_EQ(shell("cmp " + kept + " " + file("run.snapshot") + " && echo the same").out, "the same\n");
  EXPECT_THAT(good({"run", "--share=s", "--scale", "60", "--", "sh", "-c", "$nvmlab clock"}), HasSubstr("scale  60\n"));
  EXPECT_THAT(bad(2, {"run", "--clock", "virtual", "--", "true"}),
              HasSubstr("--clock is for a machine that is brought"));
  EXPECT_THAT(bad(2, {"run", "--share", "--clock", "scaled", "--", "true"}), HasSubstr("needs a factor"));
  EXPECT_THAT(bad(2, {"run", "--share", "--seed", "x", "--", "true"}), HasSubstr("--seed takes a whole number"));
  expect_nothing_is_up();
}

TEST_F(RunShare, SignalsGoToTheCommand) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const auto outcome =
        shell("ready=" + file(signal) + "; mkfifo $ready; export ready; set -m; $nvmlab run --share=s -- sh -c '" +
              "tail -f /dev/null & trap \"kill $!; echo got it; exit 5\" " + signal + "; : > $ready; wait' & " +
              ": < $ready; kill -" + signal + " $!; wait $!; echo code $?");
    EXPECT_THAT(outcome.out, HasSubstr("got it\ncode 5\n")) << signal << outcome.story();
    expect_nothing_is_up();
  }
  // A command without a handler ends by it, and so does nvmlab.
  const auto outcome = shell(
      "is_up() { $nvmlab ls 2>&1 | grep -q '^s '; }; set -m; $nvmlab run --share=s -- tail -f /dev/null & "
      "eventually is_up; kill -TERM $!; wait $!; echo code $?");
  EXPECT_THAT(outcome.out, HasSubstr("code 143\n")) << outcome.story();
  expect_nothing_is_up();
}

TEST_F(RunShare, AMachineWhoseRunnerWasKilledIsSweptAway) {
  const auto outcome = shell(
      "is_up() { $nvmlab ls 2>&1 | grep -q '^run-'; }; $nvmlab run --share -- tail -f /dev/null & eventually is_up; "
      "kill -KILL $!; wait $!; touch -d '1 minute ago' $NVMLAB_RUNTIME_DIR/run-*.store; $nvmlab ls | grep -c '^run-'; "
      "$nvmlab run --share=b -- $nvmlab ls");
  EXPECT_THAT(outcome.out, StartsWith("1\n")) << outcome.story();
  EXPECT_THAT(outcome.out, HasSubstr("\nb ")) << outcome.story();
  expect_nothing_is_up();
}

// One that is in use is older than that, too.
TEST_F(RunShare, AMachineInUseIsNot) {
  const auto outcome = nvmlab({"run", "--share", "--", "sh", "-c",
                               "touch -d '1 minute ago' $NVMLAB_RUNTIME_DIR/run-*.store; "
                               "$nvmlab run --share=b -- $nvmlab ls"});
  EXPECT_THAT(outcome.out, HasSubstr("\nrun-")) << outcome.story();
}

}  // namespace
}  // namespace nvmlab::test
