// SPDX-License-Identifier: Apache-2.0
// nvmlab snapshot save, restore and diff.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class SnapshotCommand : public Cli {
 protected:
  void SetUp() override {
    environment_["NVMLAB_MACHINE"] = "node";
    up();
  }
  void up() const { good({"up", "node", "--profile", "dgx-h100", "--gpus", "4", "--clock", "virtual", "--seed", "7"}); }
  std::string saved(const std::string& name) const {
    EXPECT_EQ(good({"snapshot", "save", file(name)}), "");
    return file(name);
  }
  // What `diff` prints where it finds something.
  std::string diff(Words words) const {
    words.insert(words.begin(), {"snapshot", "diff"});
    const Outcome outcome = nvmlab(std::move(words));
    EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(SnapshotCommand, ShowsWhatHasChangedAndBringsItBack) {
  const std::string before = saved("before");
  EXPECT_EQ(good({"snapshot", "diff", before}), "");
  good({"set", "--gpu", "0", "power.limit_mw=300000"});
  good({"set", "--gpu", "2", "--force", "thermal.gpu_c=91"});
  good({"set", "system.driver_version=550.163.01"});
  const std::string found = diff({before});
  EXPECT_THAT(found, HasSubstr("machine: system.driver_version "));
  EXPECT_THAT(found, HasSubstr("gpu 0: power.limit_mw 700000 -> 300000\n"));
  EXPECT_THAT(found, HasSubstr("gpu 0: power.enforced_limit_mw 700000 -> 300000\n"));
  EXPECT_THAT(found, HasSubstr("gpu 2: pin of thermal.gpu_c none -> 91 over "));
  EXPECT_THAT(found, Not(HasSubstr("gpu 1")));
  const std::string after = saved("after");
  EXPECT_EQ(diff({before, after}), found);

  EXPECT_EQ(good({"snapshot", "restore", before}), "");
  EXPECT_EQ(good({"snapshot", "diff", before}), "");
  EXPECT_EQ(good({"get", "--gpu", "0", "power.limit_mw"}), "700000\n");
  const std::string log = good({"log"});
  EXPECT_THAT(log, HasSubstr("GPU 0  restore-snapshot snapshot="));
  EXPECT_THAT(log, HasSubstr("GPU 0  restore power.limit_mw=700000"));
  EXPECT_THAT(log, Not(HasSubstr("GPU 1")));
  good({"snapshot", "restore", after});
  EXPECT_EQ(good({"snapshot", "diff", after}), "");
  EXPECT_THAT(good({"get", "thermal.gpu_c"}), HasSubstr("91 C (pinned)"));
}

TEST_F(SnapshotCommand, AsJson) {
  const std::string before = saved("before");
  good({"set", "--gpu", "1", "thermal.gpu_c=null"});
  good({"clock", "advance", "1h"});
  const auto all = json::parse(diff({"--json", before}));
  EXPECT_EQ(all["before"]["machine"], "node");
  EXPECT_EQ(all["before"]["profile"], "dgx-h100");
  EXPECT_EQ(all["before"]["gpus"], 4);
  EXPECT_EQ(all["before"]["seed"], 7);
  EXPECT_EQ(all["after"]["time_ns"].get<std::uint64_t>() - all["before"]["time_ns"].get<std::uint64_t>(),
            3'600'000'000'000u);
  const auto& first = all["differences"][0];
  EXPECT_EQ(first["gpu"], 1);
  EXPECT_EQ(first["field"], "thermal.gpu_c");
  EXPECT_TRUE(first["before"].is_number()) << first.dump();
  EXPECT_TRUE(first["after"].is_null()) << first.dump();
  const auto none = json::parse(good({"snapshot", "diff", "--json", before, before}));
  EXPECT_EQ(none["differences"], json::array());
}

TEST_F(SnapshotCommand, OfAnotherMachineOfTheSameProfile) {
  good({"set", "--gpu", "3", "thermal.gpu_c=91"});
  const std::string hot = saved("hot");
  good({"up", "other", "--profile", "dgx-h100", "--gpus", "4"});
  good({"snapshot", "restore", hot, "--machine", "other"});
  EXPECT_EQ(good({"get", "--machine", "other", "--gpu", "3", "thermal.gpu_c"}), "91\n");
  EXPECT_EQ(good({"snapshot", "--machine", "other", "diff", hot}), "");
}

// A client that has the machine open sees the restored state and keeps its handles.
TEST_F(SnapshotCommand, IsSeenByEveryProgram) {
  const std::string before = saved("before");
  const auto watched = shell(
      "$nvmlab set --gpu 2 thermal.gpu_c=91; $nvmlab watch --count 1 --gpu 2 thermal.gpu_c & watcher=$!; "
      "becomes_blocked $watcher; $nvmlab snapshot restore " +
      before + "; wait $watcher");
  EXPECT_EQ(watched.exit_code, 0) << watched.story();
  EXPECT_THAT(watched.out, HasSubstr("GPU 2  thermal.gpu_c = "));
  EXPECT_THAT(watched.out, Not(HasSubstr("91")));
}

TEST_F(SnapshotCommand, TwoRunsThatAreTheSameSaveTheSameBytes) {
  const auto run = [this](const std::string& name) {
    good({"ps", "add", "--gpu", "1", "--pid", "2147483647", "--memory", "1GiB"});
    good({"clock", "advance", "1h"});
    good({"ps", "rm", "--pid", "2147483647"});
    good({"set", "--gpu", "0", "--force", "thermal.gpu_c=80"});
    good({"event", "--gpu", "3", "xid", "79"});
    return read_file(saved(name));
  };
  const auto once = run("once");
  good({"down", "node"});
  up();
  const auto again = run("again");
  ASSERT_TRUE(once && again);
  EXPECT_TRUE(*once == *again);
}

TEST_F(SnapshotCommand, RefusesWhatIsNone) {
  const std::string before = saved("before");
  const std::string letter = file("letter");
  ASSERT_TRUE(write_file(letter, "dear reader"));
  EXPECT_THAT(bad(1, {"snapshot", "restore", letter}), StartsWith(letter + ": it is no snapshot"));
  EXPECT_THAT(bad(2, {"snapshot", "diff", letter}), StartsWith(letter + ": it is no snapshot"));
  EXPECT_THAT(bad(1, {"snapshot", "save", letter}), HasSubstr("left alone"));
  good({"snapshot", "save", "--force", letter});
  EXPECT_EQ(good({"snapshot", "diff", letter}), "");

  std::string bytes = *read_file(before);
  ASSERT_TRUE(write_file(file("cut"), bytes.substr(0, bytes.size() / 2)));
  EXPECT_THAT(bad(1, {"snapshot", "restore", file("cut")}), HasSubstr("cut short"));
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_TRUE(write_file(file("damaged"), bytes));
  EXPECT_THAT(bad(1, {"snapshot", "restore", file("damaged")}), HasSubstr("damaged"));

  good({"set", "--gpu", "0", "thermal.gpu_c=91"});
  good({"up", "small", "--profile", "dgx-h100", "--gpus", "2"});
  EXPECT_THAT(bad(1, {"snapshot", "restore", "--machine", "small", before}),
              HasSubstr("a machine with 4 GPUs, and this one has 2; `nvmlab up --profile dgx-h100 --gpus 4`"));
  EXPECT_THAT(bad(2, {"snapshot", "diff", "--machine", "small", before}), HasSubstr("with 4 GPUs"));
  good({"up", "a100", "--profile", "dgx-a100", "--gpus", "4"});
  EXPECT_THAT(bad(1, {"snapshot", "restore", "--machine", "a100", before}), HasSubstr("of profile 'dgx-h100'"));
  EXPECT_THAT(bad(1, {"snapshot", "restore", "--machine", "none", before}), HasSubstr("no machine 'none' is up"));
  EXPECT_EQ(good({"get", "--gpu", "0", "thermal.gpu_c"}), "91\n") << "nothing was changed";
}

TEST_F(SnapshotCommand, RefusesWrongUse) {
  EXPECT_THAT(bad(2, {"snapshot"}), HasSubstr("needs save FILE, restore FILE or diff FILE"));
  EXPECT_THAT(bad(2, {"snapshot", "save"}), HasSubstr("needs FILE"));
  EXPECT_THAT(bad(2, {"snapshot", "diff", "a", "b", "c"}), HasSubstr("one snapshot or two"));
  EXPECT_THAT(bad(2, {"snapshot", "diff", "a", "b", "--machine", "node"}), HasSubstr("leave --machine out"));
  EXPECT_THAT(bad(2, {"snapshot", "diff", "a"}), HasSubstr("a: there is no such file"));
  EXPECT_THAT(bad(1, {"snapshot", "save", file("no/folder/x")}), HasSubstr("No such file"));
}

}  // namespace
}  // namespace nvmlab::test
