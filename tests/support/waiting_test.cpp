// SPDX-License-Identifier: Apache-2.0
#include "tests/support/waiting.hpp"

#include <gtest/gtest.h>

#include <future>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

TEST(Waiting, EventuallyReturnsWhenItHappens) {
  int tries = 0;
  EXPECT_TRUE(eventually([&tries] { return ++tries == 3; }));
  EXPECT_EQ(tries, 3);
}

TEST(Waiting, ACallThatBlocksIsSeen) {
  std::promise<void> end;
  std::atomic<bool> ended = false;
  BlockingCall call([&] {
    end.get_future().wait();
    ended = true;
  });
  EXPECT_TRUE(call.becomes_blocked());
  EXPECT_FALSE(ended);
  end.set_value();
  call.join();
  EXPECT_TRUE(ended);
}

TEST(Waiting, AThreadThatDoesNotExistIsNotBlocked) { EXPECT_FALSE(is_blocked(0)); }

TEST(Waiting, ScriptsWaitForFilesAndProcesses) {
  const TempFolder folder;
  Command command;
  command.arguments = {"bash", "-c",
                       ". \"$0\"/tests/support/waiting.sh; cd \"$1\"; { contains in begin; echo end > out; } & "
                       "echo begin > in; contains out end; tail -f /dev/null & becomes $! tail; kill $!; eventually [ "
                       "-s out ] && echo seen",
                       source_folder().string(), folder.path().string()};
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.out, "seen\n") << outcome.story();
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace nvmlab::test
