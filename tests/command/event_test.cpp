// SPDX-License-Identifier: Apache-2.0
// nvmlab event and nvmlab watch, together.
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class EventCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "dgx-h100"});
    environment_["NVMLAB_MACHINE"] = "h";
  }
  // What `watch` prints of what `script` does; it is under way before the script begins.
  Outcome watched(const std::string& options, const std::string& script) const {
    return shell("$nvmlab watch " + options + " & watcher=$!; becomes_blocked $watcher; " + script + "; wait $watcher");
  }
};

TEST_F(EventCommand, IsSeenByAWatcher) {
  const auto outcome = watched("--count 3", "$nvmlab event --gpu 3 xid 79; $nvmlab event --gpu 0-1 double-bit-ecc");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.story();
  EXPECT_THAT(outcome.out, HasSubstr("GPU 3  xid 79\n"));
  EXPECT_THAT(outcome.out, HasSubstr("GPU 0  double-bit-ecc\n"));
  EXPECT_THAT(outcome.out, HasSubstr("GPU 1  double-bit-ecc\n"));
}

TEST_F(EventCommand, AWatcherSeesFieldsThatChange) {
  const auto outcome = watched("--count 2 --gpu 2 thermal.gpu_c",
                               "$nvmlab set --gpu 1 thermal.gpu_c=70; $nvmlab set --gpu 2 thermal.gpu_c=91; "
                               "$nvmlab event --gpu 2 xid 63 --gpu-instance 4");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.story();
  EXPECT_THAT(outcome.out, HasSubstr("GPU 2  thermal.gpu_c = 91"));
  EXPECT_THAT(outcome.out, HasSubstr("GPU 2  xid 63 gpu-instance 4\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("GPU 1")));
}

TEST_F(EventCommand, AsJsonALineEach) {
  const auto outcome = watched("--count 1 --json", "$nvmlab event --gpu 7 driver-unbind");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.story();
  const auto line = json::parse(outcome.out);
  EXPECT_EQ(line["gpu"], 7);
  EXPECT_EQ(line["event"], "driver-unbind");
}

TEST_F(EventCommand, RefusesWhatIsNoEvent) {
  EXPECT_THAT(bad(2, {"event", "xid"}), HasSubstr("takes the number"));
  EXPECT_THAT(bad(2, {"event", "xd", "79"}), HasSubstr("did you mean 'xid'?"));
  EXPECT_THAT(bad(2, {"event", "clock", "79"}), HasSubstr("takes no number"));
  EXPECT_THAT(bad(2, {"event", "xid", "seventy"}), HasSubstr("no number of an Xid"));
  EXPECT_THAT(bad(2, {"event", "xid", "79", "--gpu-instance", "x"}), HasSubstr("--gpu-instance takes a number"));
  EXPECT_THAT(bad(1, {"event", "--gpu", "9", "xid", "79"}), HasSubstr("9"));
  EXPECT_THAT(bad(2, {"watch", "--count", "0"}), HasSubstr("--count takes a number from 1 on"));
  good({"up", "t4", "--profile", "g4dn-xlarge"});
  EXPECT_THAT(bad(1, {"event", "--machine", "t4", "mig-config"}), HasSubstr("reports no mig-config"));
}

TEST_F(EventCommand, AWatcherEndsWithItsTimeAndWithTheMachine) {
  EXPECT_EQ(nvmlab({"watch", "--timeout", "1"}).exit_code, 1) << "nothing came";
  const auto outcome = watched("", "$nvmlab down h");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("taken down"));
}

}  // namespace
}  // namespace nvmlab::test
