// SPDX-License-Identifier: Apache-2.0
// nvmlab fault call and init: functions that answer a code, take their time or hang, and what status and log say.
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class FunctionFaultCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "dgx-h100", "--gpus", "4"});
    environment_["NVMLAB_MACHINE"] = "h";
  }
  json faults() const { return json::parse(good({"status", "--json"}))["faults"]; }
  // What a client finds on the machine.
  Outcome devices() const { return shell("$nvmlab run --machine h -- $nvmlab devices"); }
};

TEST_F(FunctionFaultCommand, IsListedUntilItIsHealed) {
  good({"fault", "--machine", "h", "--gpu", "3", "call", "nvmlDeviceGetTemperature", "--answer", "GPU_IS_LOST",
        "--every", "3", "--times", "2"});
  good({"fault", "call", "nvmlDeviceGet*", "--slow", "20ms", "--process", "nvidia-smi"});
  const json now = faults();
  ASSERT_EQ(now.size(), 2U) << now;
  EXPECT_EQ(now[0]["gpu"], 3);
  EXPECT_EQ(now[0]["fault"], "call nvmlDeviceGetTemperature --answer GPU_IS_LOST --every 3 --times 2");
  EXPECT_TRUE(now[1]["gpu"].is_null());
  EXPECT_EQ(now[1]["fault"], "call nvmlDeviceGet* --slow 20ms --process nvidia-smi");
  EXPECT_THAT(good({"status"}), MatchesRegex("[\\s\\S]*\nfaults +GPU 3: call nvmlDeviceGetTemperature --answer "
                                             "GPU_IS_LOST --every 3 --times 2 since 20[^\n]*\nfaults +call "
                                             "nvmlDeviceGet\\* --slow[\\s\\S]*"));
  EXPECT_THAT(good({"log"}), HasSubstr("fault=call nvmlDeviceGet* --slow 20ms --process nvidia-smi"));
  good({"heal", "--gpu", "3"});
  ASSERT_EQ(faults().size(), 1U) << "that of all calls stays";
  good({"heal", "call", "nvmlDeviceGet*"});
  EXPECT_EQ(faults().size(), 0U);
  EXPECT_THAT(bad(1, {"heal", "call", "nvmlDeviceGet*"}), HasSubstr("functions do not have the fault call"));
}

TEST_F(FunctionFaultCommand, AClientMeetsItUntilItIsHealed) {
  EXPECT_TRUE(devices().ok());
  good({"fault", "--gpu", "2", "call", "nvmlDeviceGetUUID", "--answer", "GPU_IS_LOST"});
  const Outcome failed = devices();
  EXPECT_THAT(failed.out, HasSubstr("\n  2  -   ")) << failed.story();
  EXPECT_THAT(failed.out, HasSubstr("\n  3  GPU-")) << failed.story();
  good({"heal"});
  EXPECT_THAT(devices().out, HasSubstr("\n  2  GPU-"));
}

TEST_F(FunctionFaultCommand, AClientThatHangsGoesOnWhenItIsHealed) {
  const auto outcome = shell(
      "$nvmlab fault call nvmlInit --hang; $nvmlab run --machine h -- $nvmlab devices > out & client=$!; "
      "becomes_blocked $client; "
      "kill -0 $client && echo hangs; $nvmlab heal call; wait $client; echo $?");
  EXPECT_EQ(outcome.out, "hangs\n0\n") << outcome.story();
}

TEST_F(FunctionFaultCommand, ARestoredSnapshotHasNone) {
  good({"snapshot", "save", file("before")});
  good({"fault", "call", "nvmlInit", "--answer", "UNKNOWN"});
  good({"snapshot", "restore", file("before")});
  EXPECT_EQ(faults().size(), 0U);
}

TEST_F(FunctionFaultCommand, OfInitIsThatOfTheDriver) {
  good({"fault", "init", "LIB_RM_VERSION_MISMATCH"});
  EXPECT_THAT(good({"driver"}), HasSubstr("answers LIB_RM_VERSION_MISMATCH"));
  EXPECT_EQ(faults()[0]["fault"], "init LIB_RM_VERSION_MISMATCH");
  good({"heal", "init"});
  EXPECT_THAT(good({"driver"}), HasSubstr("answers SUCCESS"));
  good({"driver", "fail", "DRIVER_NOT_LOADED"});
  EXPECT_EQ(faults().size(), 1U);
  good({"heal"});
  EXPECT_THAT(good({"driver"}), HasSubstr("answers SUCCESS"));
}

TEST_F(FunctionFaultCommand, RefusesWhatMakesNoSense) {
  const auto wrong = [this](Words words) {
    words.insert(words.begin(), "fault");
    return bad(2, std::move(words));
  };
  EXPECT_THAT(wrong({"call"}), HasSubstr("call takes the name of a function"));
  EXPECT_THAT(wrong({"call", "nvmlInit"}), HasSubstr("--answer CODE, --slow TIME or --hang"));
  EXPECT_THAT(wrong({"call", "nvmlDeviceGetTemperatur", "--hang"}),
              HasSubstr("did you mean 'nvmlDeviceGetTemperature'"));
  EXPECT_THAT(wrong({"call", "nvmlDevicd*", "--hang"}), HasSubstr("no function of NVML fits"));
  EXPECT_THAT(wrong({"call", "nvmlInternalSlot999", "--hang"}), HasSubstr("there is no function"));
  good({"fault", "call", "nvmlInternalSlot108", "--answer", "GPU_IS_LOST"});
  good({"heal"});
  EXPECT_THAT(wrong({"call", "nvmlErrorString", "--hang"}), HasSubstr("there is no function 'nvmlErrorString'"));
  EXPECT_THAT(wrong({"call", "nvmlInit", "--answer", "GPU_LOST"}), HasSubstr("GPU_IS_LOST"));
  EXPECT_THAT(wrong({"call", "nvmlInit", "--hang", "--answer", "UNKNOWN"}), HasSubstr("answers nothing"));
  EXPECT_THAT(wrong({"call", "nvmlInit", "--slow", "soon"}), HasSubstr("--slow 'soon'"));
  EXPECT_THAT(wrong({"call", "nvmlInit", "--slow", "0s"}), HasSubstr("longer than 0s"));
  EXPECT_THAT(wrong({"call", "nvmlInit", "--hang", "--every", "0"}), HasSubstr("--every takes a number from 1 on"));
  EXPECT_THAT(wrong({"call", "nvmlInit", "--hang", "--chance", "1.5"}), HasSubstr("--chance takes 0.25 or 25%"));
  EXPECT_THAT(wrong({"lost", "--hang"}), HasSubstr("--hang is for faults of functions"));
  EXPECT_THAT(wrong({"init"}), HasSubstr("init takes the code"));
  EXPECT_THAT(wrong({"--gpu", "1", "init", "UNKNOWN"}), HasSubstr("leave out --gpu"));
  EXPECT_EQ(faults().size(), 0U);
}

// An Xid is a line of the kernel module's, whoever raises it.
TEST_F(FunctionFaultCommand, EventsAreLinesOfTheKernelLogToo) {
  good({"event", "--gpu", "2", "xid", "79", "--kernel-log", file("xids")});
  EXPECT_THAT(read_file(file("xids")).value_or("none"),
              MatchesRegex("NVRM: Xid \\(PCI:0000:[0-9a-f:]+\\): 79, [^\n]*\n"));
  good({"fault", "--gpu", "1", "xid", "95"});
  good({"set", "--gpu", "1", "modes.persistence=disabled"});
  good({"reset", "--gpu", "1", "--kernel-log", file("after")});
  EXPECT_THAT(read_file(file("after")).value_or("none"), HasSubstr("): 154, "));
  good({"event", "--gpu", "2", "pstate", "--kernel-log", file("none")});
  EXPECT_EQ(read_file(file("none")).value_or("none"), "");
}

}  // namespace
}  // namespace nvmlab::test
