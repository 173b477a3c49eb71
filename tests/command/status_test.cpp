// SPDX-License-Identifier: Apache-2.0
// nvmlab status: what it counts, and whom it sees.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class StatusCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "dgx-h100"});
    environment_["NVMLAB_MACHINE"] = "h";
  }
  json status() const { return json::parse(good({"status", "--json"})); }
};

TEST_F(StatusCommand, OfAMachineThatNothingHappenedTo) {
  const std::string text = good({"status"});
  EXPECT_THAT(text,
              MatchesRegex(
                  "machine +h \\([^ ]*/machines/h.store\\)\nprofile +dgx-h100, driver 580.105.08\n"
                  "phase +up since 20[^\n]*\nGPUs +8, 0 removed\nclients +none that this user can see\n"
                  "processes +0 on GPUs\nfields +0 pinned\nload +moves 0 GPUs\nfaults +none\nevents +0 raised, 0 lost\n"
                  "log +0 entries, 0 fell out\n"));
}

TEST_F(StatusCommand, CountsWhatThereIs) {
  good({"event", "--gpu", "0-2", "xid", "79"});
  good({"set", "--gpu", "0-1", "--force", "thermal.gpu_c=91"});
  good({"ps", "add", "--gpu", "3", "--pid", "1"});
  good({"run", "--", probe(), "0", "300000", "5000"});
  const json now = status();
  EXPECT_EQ(now["events_raised"], 3);
  EXPECT_EQ(now["events_lost"], 0);
  EXPECT_EQ(now["fields_pinned"], 2);
  EXPECT_EQ(now["processes"], 1);
  EXPECT_EQ(now["log_entries"].get<int>() + now["log_entries_fell_out"].get<int>(), 5006);
}

TEST_F(StatusCommand, SeesWhoHasItOpen) {
  const auto outcome =
      shell("$nvmlab watch & watcher=$!; becomes_blocked $watcher; $nvmlab status; kill $watcher; echo $watcher");
  const std::string pid = outcome.out.substr(outcome.out.rfind('\n', outcome.out.size() - 2) + 1);
  EXPECT_THAT(outcome.out, HasSubstr("nvmlab[" + pid.substr(0, pid.size() - 1) + "]\n")) << outcome.story();
}

// A watcher that is stopped while more events come than there is room for.
TEST_F(StatusCommand, CountsLostEvents) {
  good({"up", "many", "--profile", "t4", "--gpus", "300"});
  const auto outcome = shell(
      "export NVMLAB_MACHINE=many; $nvmlab watch --count 4096 > /dev/null & watcher=$!; becomes_blocked $watcher; "
      "kill -STOP $watcher; eventually grep -q ') T ' /proc/$watcher/stat; for i in $(seq 15); do "
      "$nvmlab event xid $i; done; kill -CONT $watcher; wait $watcher; $nvmlab status");
  EXPECT_THAT(outcome.out, HasSubstr("4500 raised, 404 lost")) << outcome.story();
  EXPECT_THAT(outcome.err, HasSubstr("404 events came too fast"));
}

}  // namespace
}  // namespace nvmlab::test
