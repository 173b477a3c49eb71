// SPDX-License-Identifier: Apache-2.0
// nvmlab ps: what is added is listed, holds memory and leaves again; a real process leaves by itself.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class Ps : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "dgx-h100"});
    environment_["NVMLAB_MACHINE"] = "h";
  }
  std::uint64_t used(const std::string& gpu) const {
    return std::stoull(good({"get", "--gpu", gpu, "memory.used_bytes"}));
  }
};

constexpr std::uint64_t kMiB = 1 << 20;

TEST_F(Ps, AProcessHoldsMemoryUntilItLeaves) {
  const auto before = used("2");
  good({"ps", "add", "--gpu", "2-3", "--pid", "4194305", "--memory", "1.5GiB", "--name", "trainer", "--sm", "90"});
  EXPECT_EQ(used("2"), before + 1536 * kMiB);
  EXPECT_EQ(used("4"), before);
  EXPECT_EQ(good({"ps"}),
            "GPU      PID  TYPE  MEMORY    SM    NAME\n"
            "  2  4194305  C     1536 MiB  90 %  trainer\n"
            "  3  4194305  C     1536 MiB  90 %  trainer\n");
  good({"ps", "rm", "--pid", "4194305", "--gpu", "3"});
  EXPECT_EQ(used("3"), before);
  const auto rest = json::parse(good({"ps", "ls", "--json"}));
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0]["gpu"], 2);
  EXPECT_EQ(rest[0]["used_bytes"], 1536 * kMiB);
  EXPECT_EQ(rest[0]["followed"], false);
  good({"ps", "rm", "--pid", "4194305"});
  EXPECT_EQ(used("2"), before);
  EXPECT_EQ(good({"ps"}), "no process runs on these GPUs\n");
}

TEST_F(Ps, ARealProcessIsFollowedUntilItEnds) {
  const auto outcome = shell(
      // The child has its name from its exec on, which may come late.
      "tail -f /dev/null & pid=$!; becomes $pid tail; $nvmlab ps add --pid $pid "
      "--memory 64MiB; $nvmlab ps; kill $pid; wait $pid; $nvmlab ps; "
      "$nvmlab get --gpu 0 memory.used_bytes");
  EXPECT_THAT(outcome.out, HasSubstr("64 MiB")) << outcome.story();
  EXPECT_THAT(outcome.out, HasSubstr("tail -f /dev/null\n"));
  EXPECT_THAT(outcome.out, HasSubstr("no process runs on these GPUs\n0\n"));
}

// Added in its container, where it is the first; listed to the host by the pid that it has there.
TEST_F(Ps, AProcessOfAContainerHasThePidThatTheCallerKnows) {
  if (shell("unshare --pid --fork --mount-proc true").exit_code != 0)
    GTEST_SKIP() << "no pid namespace with a /proc of its own can be made here";
  const auto outcome = shell(
      "mkfifo " + file("in") + " " + file("out") +
      "; unshare --pid --fork --mount-proc sh -c '$nvmlab ps add --gpu 0 --pid $$ --name inside; $nvmlab ps; : > " +
      file("in") + "; : < " + file("out") + "' & : < " + file("in") + "; $nvmlab ps --json; : > " + file("out") +
      "; wait; readlink /proc/self/ns/pid; $nvmlab ps");
  EXPECT_THAT(outcome.out, HasSubstr("  0    1  C     0 MiB   0 %  inside\n")) << outcome.story();
  const std::size_t list = outcome.out.find('[');
  ASSERT_NE(list, std::string::npos) << outcome.story();
  const auto seen = json::parse(outcome.out.substr(list, outcome.out.find(']') + 1 - list));
  ASSERT_EQ(seen.size(), 1U) << outcome.story();
  EXPECT_GT(seen[0]["pid"], 1) << "it is another one for the host";
  EXPECT_EQ(seen[0]["name"], "inside");
  EXPECT_FALSE(seen[0].contains("pid_namespace")) << "which sees it";
  // Where everything can be seen, that the container is gone is seen as well.
  if (outcome.out.find("pid:[4026531836]") != std::string::npos) {
    EXPECT_THAT(outcome.out, HasSubstr("no process runs on these GPUs\n"));
  }
}

TEST_F(Ps, AccountingRemembersWhatHasEnded) {
  good({"set", "--gpu", "0", "modes.accounting=enabled"});
  good({"ps", "add", "--pid", "4194306", "--memory", "2GiB", "--sm", "75"});
  good({"ps", "rm", "--pid", "4194306"});
  const auto all = json::parse(good({"get", "--gpu", "0", "--json", "accounting.ended"}));
  const auto ended = all["gpus"][0]["values"]["accounting.ended"];
  ASSERT_EQ(ended.size(), 1U) << all.dump();
  EXPECT_EQ(ended[0]["pid"], 4194306);
  EXPECT_EQ(ended[0]["peak_bytes"], 2048 * kMiB);
  EXPECT_EQ(ended[0]["gpu_percent"], 75);
}

TEST_F(Ps, RefusesWhatCannotBe) {
  EXPECT_THAT(bad(2, {"ps", "add", "--pid", "x"}), HasSubstr("--pid takes a process id"));
  EXPECT_THAT(bad(2, {"ps", "add", "--pid", "4194307", "--memory", "much"}), HasSubstr("such as 1GiB"));
  EXPECT_THAT(bad(2, {"ps", "add", "--pid", "4194307", "--type", "q"}), HasSubstr("compute, graphics"));
  EXPECT_THAT(bad(2, {"ps", "add", "--pid", "4194307", "--sm", "101"}), HasSubstr("--sm takes a number from 0 to 100"));
  EXPECT_THAT(bad(1, {"ps", "add", "--gpu", "all", "--pid", "4194307", "--memory", "100GiB"}),
              HasSubstr("GPU 0: so much memory is not free"));
  EXPECT_EQ(good({"ps"}), "no process runs on these GPUs\n") << "all of them or none";
  good({"ps", "add", "--pid", "4194307"});
  EXPECT_THAT(bad(1, {"ps", "add", "--pid", "4194307"}), HasSubstr("runs there already"));
  EXPECT_THAT(bad(1, {"ps", "rm", "--pid", "4194308"}), HasSubstr("no process 4194308 runs"));
}

}  // namespace
}  // namespace nvmlab::test
