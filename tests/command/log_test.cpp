// SPDX-License-Identifier: Apache-2.0
// nvmlab log: what other processes did to a machine, by whatever way.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class LogCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "dgx-h100"});
    environment_["NVMLAB_MACHINE"] = "h";
  }
  json entries(Words options = {}) const {
    options.insert(options.begin(), {"log", "--json"});
    return json::parse(good(options))["entries"];
  }
};

TEST_F(LogCommand, TellsWhoSetAField) {
  EXPECT_EQ(good({"log"}), "");
  good({"set", "--gpu", "2", "thermal.gpu_c=91"});
  EXPECT_THAT(
      good({"log"}),
      MatchesRegex("0  20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{6}  nvmlab\\[\\d+\\] uid \\d+  GPU 2  set "
                   "thermal.gpu_c=91\n"));
  const json entry = entries().at(0);
  EXPECT_EQ(entry["number"], 0);
  EXPECT_EQ(entry["gpu"], 2);
  EXPECT_EQ(entry["change"], "set");
  EXPECT_EQ(entry["arguments"]["thermal.gpu_c"], "91");
  EXPECT_EQ(entry["code"], "SUCCESS");
  EXPECT_EQ(entry["process"], "nvmlab");
  EXPECT_GT(entry["pid_namespace"], 0);
}

// A setter of NVML, called by another program.
TEST_F(LogCommand, TellsWhoCalledNvml) {
  const auto outcome = shell("$nvmlab run -- $probe 1 250000 & wait $!; echo $!");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.story();
  const std::string pid = outcome.out.substr(outcome.out.rfind('\n', outcome.out.size() - 2) + 1);
  const json entry = entries().at(0);
  EXPECT_EQ(entry["change"], "set-power-limit");
  EXPECT_EQ(entry["arguments"]["milliwatts"], 250000);
  EXPECT_EQ(entry["arguments"]["scope"], "gpu");
  EXPECT_EQ(entry["gpu"], 1);
  EXPECT_EQ(entry["process"], "node-probe");
  EXPECT_EQ(std::to_string(entry["pid"].get<int>()) + "\n", pid);
}

TEST_F(LogCommand, TellsWhatWasRefusedAndWhy) {
  EXPECT_EQ(nvmlab({"run", "--role", "user", "--", probe(), "1", "250000"}).exit_code, 4);
  EXPECT_EQ(nvmlab({"run", "--", probe(), "1", "1"}).exit_code, 4);
  const json all = entries();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["code"], "NO_PERMISSION");
  EXPECT_EQ(all[1]["code"], "INVALID_ARGUMENT");
  EXPECT_THAT(good({"log", "-n", "1"}),
              HasSubstr("set-power-limit scope=gpu milliwatts=1  refused: INVALID_ARGUMENT\n"));
}

// Of what is made together or not at all, only what was in the way.
TEST_F(LogCommand, ARefusedBatchIsOneEntry) {
  good({"up", "t4", "--profile", "t4", "--gpus", "3"});
  EXPECT_EQ(nvmlab({"event", "--machine", "t4", "mig-config"}).exit_code, 1);
  const json all = entries({"--machine", "t4"});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["gpu"], 0);
  EXPECT_EQ(all[0]["code"], "NOT_SUPPORTED");
}

TEST_F(LogCommand, Selects) {
  good({"set", "--gpu", "0-3", "thermal.gpu_c=60"});
  good({"set", "system.driver_version=580.95.05"});
  good({"event", "--gpu", "5", "xid", "79"});
  EXPECT_EQ(entries().size(), 6U);
  EXPECT_EQ(entries({"--gpu", "1,5"}).size(), 2U);
  EXPECT_EQ(entries({"-n", "2"}).at(0)["gpu"], nullptr) << "of the machine as a whole";
  EXPECT_EQ(entries({"--since", "1h"}).size(), 6U);
  EXPECT_EQ(entries({"--since", "0s"}).size(), 0U);
  EXPECT_THAT(good({"log", "-n", "1"}), HasSubstr("GPU 5  raise-event event=xid 79\n"));
  EXPECT_THAT(bad(2, {"log", "--since", "soon"}), HasSubstr("--since 'soon': a time such as"));
  EXPECT_THAT(bad(2, {"log", "-n", "x"}), HasSubstr("--lines takes a number"));
  EXPECT_THAT(bad(1, {"log", "--gpu", "9"}), HasSubstr("no GPU 9"));
}

TEST_F(LogCommand, SaysWhatFellOut) {
  const auto outcome = shell("$nvmlab run -- $probe 0 300000 5000 >/dev/null; $nvmlab log -n 1");
  EXPECT_THAT(outcome.err, HasSubstr("older entries fell out of the log")) << outcome.story();
  const json document = json::parse(good({"log", "--json"}));
  EXPECT_EQ(document["fell_out"].get<int>(), document["entries"][0]["number"].get<int>());
  EXPECT_EQ(document["entries"].size() + document["fell_out"].get<std::size_t>(), 5000U);
}

TEST_F(LogCommand, FollowsUntilTheMachineIsGone) {
  const auto outcome = shell(
      "$nvmlab log --follow > seen.txt & follower=$!; becomes_blocked $follower; "
      "$nvmlab set --gpu 1 thermal.gpu_c=70; $nvmlab down h; wait $follower; echo $?; cat "
      "seen.txt; rm seen.txt");
  EXPECT_THAT(outcome.out, HasSubstr("1\n0  20")) << outcome.story();
  EXPECT_THAT(outcome.out, HasSubstr("GPU 1  set thermal.gpu_c=70\n"));
}

}  // namespace
}  // namespace nvmlab::test
