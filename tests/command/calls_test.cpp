// SPDX-License-Identifier: Apache-2.0
// nvmlab run --record-calls and nvmlab calls: what a client asked is all there, and is what was expected.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class CallsCommand : public Cli {
 protected:
  // A client that asks GPU 0 for its power limit.
  void record() const { good({"run", "--gpus", "2", "--record-calls", file("calls"), "--", probe(), "0"}); }
};

TEST_F(CallsCommand, CountsWhatAClientAsked) {
  record();
  EXPECT_THAT(good({"calls", file("calls")}), MatchesRegex("FUNCTION +CALLS +ANSWERS *\n[\\s\\S]*"));
  const auto json = nlohmann::json::parse(good({"calls", file("calls"), "--json", "--call", "nvmlInit"}));
  ASSERT_EQ(json.size(), 1U) << json;
  EXPECT_EQ(json[0]["calls"], 1);
  EXPECT_EQ(json[0]["codes"]["SUCCESS"], 1);
  EXPECT_THAT(good({"calls", file("calls"), "--each", "--call", "nvmlDeviceGetHandleByIndex"}),
              HasSubstr("index=0 device=GPU 0"));
}

TEST_F(CallsCommand, ExpectationsHoldOrAreTold) {
  record();
  EXPECT_EQ(
      good({"calls", file("calls"), "--expect", "nvmlInit = 1", "--expect", "nvmlDeviceGetHandleByIndex(index=0)"}),
      "");
  const Outcome told = nvmlab({"calls", file("calls"), "--expect", "nvmlInit", "--expect", "nvmlInit = 2", "--expect",
                               "nvmlDeviceSetFanSpeed_v2"});
  EXPECT_EQ(told.exit_code, 1) << told.story();
  EXPECT_EQ(told.err,
            "nvmlab: nvmlInit = 2: it was called once\nnvmlab: nvmlDeviceSetFanSpeed_v2: it was called never\n");
  EXPECT_THAT(bad(2, {"calls", file("calls"), "--expect", "a b"}), HasSubstr("the name of a function was expected"));
  EXPECT_THAT(bad(1, {"calls", file("none")}), HasSubstr("No such file"));
}

TEST_F(CallsCommand, AFaultIsAnAnswer) {
  good({"up", "h", "--profile", "dgx-h100", "--gpus", "2"});
  good({"fault", "--machine", "h", "call", "nvmlDeviceGetPowerManagementLimit", "--answer", "GPU_IS_LOST"});
  nvmlab({"run", "--machine", "h", "--record-calls", file("calls"), "--", probe(), "0"});
  good({"calls", file("calls"), "--expect", "nvmlDeviceGetPowerManagementLimit(device=GPU 0) -> GPU_IS_LOST"});
}

TEST_F(CallsCommand, OverwritesNoFileOfSomebodyElse) {
  write_file(file("notes"), "mine\n");
  EXPECT_THAT(bad(1, {"run", "--record-calls", file("notes"), "--", "true"}), HasSubstr("something else"));
  EXPECT_EQ(read_file(file("notes")).value_or(""), "mine\n");
}

}  // namespace
}  // namespace nvmlab::test
