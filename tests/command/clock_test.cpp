// SPDX-License-Identifier: Apache-2.0
// nvmlab clock, and up with a clock and a seed.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

constexpr std::uint64_t kBeginning = 1'767'225'600'000'000'000;  // 2026-01-01 00:00:00 UTC
constexpr std::uint64_t kHour = 3'600'000'000'000;

class ClockCommand : public Cli {
 protected:
  void SetUp() override { environment_["NVMLAB_MACHINE"] = "node"; }
  void up(Words options = {"--clock", "virtual", "--seed", "7"}) const {
    options.insert(options.begin(), {"up", "node", "--profile", "dgx-h100"});
    good(std::move(options));
  }
  json shown() const { return json::parse(good({"clock", "--json"})); }
  std::uint64_t time() const { return shown()["time_ns"]; }
};

TEST_F(ClockCommand, AVirtualOnePassesWhenItIsAdvanced) {
  up();
  EXPECT_EQ(good({"clock"}), "mode  virtual\ntime  2026-01-01 00:00:00.000000\nseed  7\n");
  good({"clock", "--machine", "node", "advance", "1h"});
  EXPECT_EQ(time(), kBeginning + kHour);
  good({"clock", "advance", "250ms"});
  EXPECT_EQ(shown(), (json{{"mode", "virtual"}, {"time_ns", kBeginning + kHour + 250'000'000}, {"seed", 7}}));
}

TEST_F(ClockCommand, ARealOneIsAnotherWhenItIsTold) {
  up({});
  EXPECT_EQ(shown()["mode"], "real");
  const std::uint64_t real = time();
  EXPECT_GT(time(), real);
  good({"clock", "virtual"});
  const std::uint64_t stands = time();
  EXPECT_GE(stands, real);
  EXPECT_EQ(time(), stands);
  good({"clock", "scaled", "1000000"});
  EXPECT_EQ(shown()["scale"], 1'000'000);
  EXPECT_GT(time(), stands + 1'000'000);
  good({"clock", "freeze"});
  EXPECT_EQ(shown()["mode"], "frozen");
  EXPECT_EQ(shown()["resumes"], "scaled");
  const std::uint64_t frozen = time();
  EXPECT_EQ(time(), frozen);
  good({"clock", "resume"});
  EXPECT_EQ(shown()["mode"], "scaled");
  EXPECT_GT(time(), frozen);
  EXPECT_EQ(json::parse(good({"clock", "real", "--json"}))["mode"], "real");
  EXPECT_GT(time(), frozen) << "it never goes back";
}

TEST_F(ClockCommand, RefusesWhatIsImpossible) {
  up();
  EXPECT_THAT(bad(2, {"clock", "advance"}), HasSubstr("takes a span of time"));
  EXPECT_THAT(bad(2, {"clock", "advance", "10"}),
              HasSubstr("a unit (ns, us, ms, s, m, h or d) was expected at character 3"));
  EXPECT_THAT(bad(2, {"clock", "advance", "-1h"}), HasSubstr("'-1h': a number was expected at character 1"));
  EXPECT_THAT(bad(2, {"clock", "advance", "300000d"}), HasSubstr("213503 days"));
  EXPECT_THAT(bad(1, {"clock", "advance", "200000d"}), HasSubstr("ends at 2262-04-11 23:47:16"));
  EXPECT_THAT(bad(2, {"clock", "scaled"}), HasSubstr("takes a factor"));
  EXPECT_THAT(bad(2, {"clock", "scaled", "0"}), HasSubstr("from 0.000001 to 1000000"));
  EXPECT_THAT(bad(2, {"clock", "scaled", "1000001"}), HasSubstr("from 0.000001 to 1000000"));
  EXPECT_THAT(bad(2, {"clock", "vrtual"}), HasSubstr("did you mean 'virtual'?"));
  EXPECT_THAT(bad(2, {"clock", "real", "5"}), HasSubstr("takes no word"));
  EXPECT_THAT(bad(1, {"clock", "resume"}), HasSubstr("virtual, not frozen"));
  good({"clock", "frozen"});
  EXPECT_THAT(bad(1, {"clock", "advance", "1h"}), HasSubstr("`nvmlab clock resume` lets it go on"));
  EXPECT_EQ(time(), kBeginning) << "nothing of it was done";
  EXPECT_THAT(bad(1, {"clock", "--machine", "other"}), HasSubstr("no machine 'other' is up"));
}

TEST_F(ClockCommand, UpRefusesClocksThatAreNone) {
  const auto up_says = [this](Words options) {
    options.insert(options.begin(), "up");
    return bad(2, std::move(options));
  };
  EXPECT_THAT(up_says({"--clock", "scaled"}), HasSubstr("--scale 60"));
  EXPECT_THAT(up_says({"--clock", "real", "--scale", "2"}), HasSubstr("for a scaled clock"));
  EXPECT_THAT(up_says({"--clock", "vrtual"}), HasSubstr("did you mean 'virtual'?"));
  EXPECT_THAT(up_says({"--scale", "-1"}), HasSubstr("from 0.000001 to 1000000"));
  EXPECT_THAT(up_says({"--seed", "-1"}), HasSubstr("--seed takes a whole number from 0 to 18446744073709551615"));
  EXPECT_EQ(good({"ls", "--json"}), "[]\n");
}

TEST_F(ClockCommand, ASeedIsShownAndGivesTheMachineAgain) {
  up({"--clock", "virtual"});
  const std::uint64_t seed = shown()["seed"];
  good({"down", "node"});
  up({"--clock", "virtual", "--seed", std::to_string(seed)});
  EXPECT_EQ(shown()["seed"], seed);
  good({"down", "node"});
  up({"--scale", "0.5", "--seed", "0"});
  EXPECT_EQ(shown()["scale"], 0.5);
  EXPECT_EQ(shown()["seed"], 0);
}

// The same commands on two machines with one seed: all that programs can read of them is the same, to the byte.
TEST_F(ClockCommand, TwoRunsWithOneSeedAreTheSame) {
  const std::string story =
      "$nvmlab up node --profile dgx-h100 --clock virtual --seed 7; "
      "$nvmlab watch --count 2 --json & watcher=$!; becomes_blocked $watcher; "
      "$nvmlab ps add --gpu 1 --pid 2147483647 --memory 1GiB; $nvmlab clock advance 1h; $nvmlab event --gpu 3 xid 79; "
      "$nvmlab clock advance 90m; $nvmlab set --gpu 0 thermal.gpu_c=80; $nvmlab ps rm --gpu 1 --pid 2147483647; "
      "$nvmlab clock advance 1ms; $nvmlab event --gpu 0 double-bit-ecc; wait $watcher; "
      "$nvmlab get --all --json; $nvmlab clock --json; $nvmlab ls; $nvmlab run -- $probe; $nvmlab down node";
  const auto once = shell(story);
  ASSERT_EQ(once.exit_code, 0) << once.story();
  EXPECT_THAT(once.out, HasSubstr(std::to_string(kBeginning + kHour)));
  const auto again = shell(story);
  EXPECT_EQ(again.out, once.out);
}

// What is delivered, what is saved and what the log says do not depend on how many look on. Pids are not the machine's.
TEST_F(ClockCommand, OneReaderSeesWhatEightSee) {
  const auto seen_by = [this](const std::string& readers) {
    return shell(
        "readers=" + readers + "; here=" + file(readers) + "; mkdir $here; " +
        "$nvmlab up node --profile dgx-h100 --clock virtual --seed 7; "
        "for i in $(seq $readers); do $nvmlab watch --count 3 --json > $here/$i & "
        "watching=\"$watching $!\"; done; becomes_blocked $watching; "
        "$nvmlab clock advance 1h; $nvmlab event --gpu 3 xid 79; $nvmlab fault --gpu 2 xid 63; "
        "$nvmlab set --gpu 0 power.limit_mw=300000; $nvmlab clock advance 90m; $nvmlab event --gpu 0 clock; wait; "
        "for i in $(seq $readers); do cmp $here/1 $here/$i || echo reader $i differs; done; cat $here/1; "
        "$nvmlab log | sed 's/\\[[0-9]*\\]//'; $nvmlab snapshot save $here/snapshot; cksum < $here/snapshot; "
        "$nvmlab down node");
  };
  const auto one = seen_by("1");
  ASSERT_EQ(one.exit_code, 0) << one.story();
  EXPECT_THAT(one.out, HasSubstr("79")) << one.story();
  const auto eight = seen_by("8");
  EXPECT_EQ(eight.out, one.out) << eight.story();
}

TEST_F(ClockCommand, AWatcherStampsFieldsByIt) {
  up();
  good({"clock", "advance", "1h"});
  const auto outcome = shell(
      "$nvmlab watch --count 1 --gpu 2 thermal.gpu_c & watcher=$!; becomes_blocked $watcher; "
      "$nvmlab set --gpu 2 thermal.gpu_c=91; wait $watcher");
  EXPECT_THAT(outcome.out, HasSubstr("2026-01-01 01:00:00.000000  GPU 2  thermal.gpu_c = 91"));
}

}  // namespace
}  // namespace nvmlab::test
