// SPDX-License-Identifier: Apache-2.0
// nvmlab ps: what is added is listed, holds memory and leaves again; a real process leaves by itself.
#include <nlohmann/json.hpp>

#include "tests/tool/cli.hpp"
#include "tests/tool/matchers.hpp"

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
      "sleep 60 & pid=$!; until [ \"$(cat /proc/$pid/comm)\" = sleep ]; do sleep 0.01; done; $nvmlab ps add --pid $pid "
      "--memory 64MiB; $nvmlab ps; kill $pid; wait $pid; $nvmlab ps; "
      "$nvmlab get --gpu 0 memory.used_bytes");
  EXPECT_THAT(outcome.out, HasSubstr("64 MiB")) << outcome.story();
  EXPECT_THAT(outcome.out, HasSubstr("sleep 60\n"));
  EXPECT_THAT(outcome.out, HasSubstr("no process runs on these GPUs\n0\n"));
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
