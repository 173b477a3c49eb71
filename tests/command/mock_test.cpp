// SPDX-License-Identifier: Apache-2.0
// nvmlab mock: the verbs of that mock's control program, in its file of overrides and on a machine that is up.
#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class MockCommandTest : public Cli {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(config,
                           "version: \"1.0\"\nsystem: {driver_version: 550.163.01, num_devices: 2}\n"
                           "device_defaults:\n  name: A Mock\n  architecture: hopper\n"
                           "  thermal: {temperature_gpu_c: 30}\n  power: {max_limit_mw: 700000}\n"
                           "  ecc: {mode_current: enabled}\n  memory: {total_bytes: 85899345920}\n"
                           "nvlink: {version: 4, links_per_gpu: 4}\n"
                           "devices:\n  - {index: 0, uuid: GPU-0}\n  - {index: 1, uuid: GPU-1}\n"));
    environment_["MOCK_NVML_CONFIG"] = config;
    environment_["MOCK_NVML_OVERRIDES"] = overrides;
  }
  std::string ctl(Words words) const {
    words.insert(words.begin(), "mock");
    return good(words);
  }
  std::string refused(Words words) const {
    words.insert(words.begin(), "mock");
    return bad(2, words);
  }
  std::string written() const { return read_file(overrides).value_or(""); }

  std::string config = file("config.yaml");
  std::string overrides = file("o.yaml");
};

TEST_F(MockCommandTest, WritesWhatTheGoProgramWrites) {
  EXPECT_EQ(ctl({"status"}), "no active overrides\n");
  EXPECT_EQ(ctl({"temp", "--gpu", "1", "85"}), "ok: temp applied to 1\n");
  EXPECT_EQ(written(),
            "version: 1\ndevices:\n  \"1\":\n    thermal:\n      temperature_gpu_c: 85\n    dynamic_metrics:\n"
            "      temperature:\n        base_c: 85\n        ramp_c: 0\n        variance_c: 0\n");
  EXPECT_EQ(ctl({"status"}), written());
  EXPECT_EQ(ctl({"status", "--gpu", "0"}), "no active overrides for gpu 0\n");
  EXPECT_EQ(ctl({"fan", "--gpu", "GPU-0", "60"}), "ok: fan applied to GPU-0\n");
  EXPECT_THAT(ctl({"status", "--gpu", "0"}), HasSubstr("    fan:\n      count: 1\n      speed_percent: \"60\"\n"));
  ctl({"util", "--gpu", "all", "90"});
  EXPECT_THAT(written(), HasSubstr("utilization: null"));
  EXPECT_EQ(ctl({"reset", "--gpu", "1"}), "ok: reset applied to 1\n");
  EXPECT_THAT(written(), Not(HasSubstr("85")));
  ctl({"reset"});
  EXPECT_EQ(ctl({"status"}), "no active overrides\n");
}

TEST_F(MockCommandTest, MisuseIsSaid) {
  EXPECT_THAT(refused({"temp", "85"}), HasSubstr("temp needs --gpu"));
  EXPECT_THAT(refused({"temp", "--gpu", "0", "201"}), HasSubstr("a whole number from 0 to 200, not '201'"));
  EXPECT_THAT(refused({"temp", "--gpu", "0"}), HasSubstr("temp takes one value, not 0"));
  EXPECT_THAT(refused({"temp", "--gpu", "2", "50"}), HasSubstr("the configuration has 2 GPUs"));
  EXPECT_THAT(refused({"temp", "--gpu", "GPU-9", "50"}), HasSubstr("neither an index"));
  EXPECT_THAT(refused({"dance"}), HasSubstr("there is no verb 'dance'"));
  EXPECT_THAT(refused({"fail", "--gpu", "0", "--mode", "sleepy"}), HasSubstr("fail takes --mode"));
  EXPECT_THAT(refused({"throttle", "--gpu", "0", "none", "thermal"}), HasSubstr("goes with no other"));
  EXPECT_THAT(refused({"fabric-health", "--gpu", "0", "sad"}), HasSubstr("knows no 'sad'"));
  EXPECT_THAT(refused({"sram-ecc", "--gpu", "0", "1", "--type", "correctable", "--source", "l2"}),
              HasSubstr("--source"));
  EXPECT_THAT(refused({"set", "--gpu", "0", "thermal.temperature_c=5"}),
              HasSubstr("'thermal.temperature_c' is no key"));
  EXPECT_THAT(refused({"set", "--gpu", "0", "thermal"}), HasSubstr("is no key.path=value"));
  EXPECT_EQ(written(), "") << "nothing of it is written";
}

TEST_F(MockCommandTest, EveryVerbReachesAMachineThatIsUp) {
  good({"up", "m"});
  environment_["NVMLAB_MACHINE"] = "m";
  const auto get = [&](const char* field) { return good({"get", "--gpu", "1", field}); };
  const auto apply = [&](Words words) {
    words.insert(words.begin() + 1, {"--gpu", "1", "--machine", "m"});
    return ctl(words);
  };
  apply({"temp", "85"});
  EXPECT_THAT(get("thermal.gpu_c"), HasSubstr("85"));
  apply({"power", "350"});
  EXPECT_THAT(get("power.draw_mw"), HasSubstr("350000"));
  apply({"fan", "60"});
  EXPECT_THAT(get("thermal.fans[0].speed_percent"), HasSubstr("60"));
  apply({"util", "90"});
  EXPECT_THAT(get("utilization.gpu_percent"), HasSubstr("90"));
  apply({"clocks", "1200"});
  EXPECT_THAT(get("clocks.sm_mhz"), HasSubstr("1200"));
  apply({"pstate", "8"});
  EXPECT_THAT(get("clocks.performance_state"), HasSubstr("8"));
  apply({"throttle", "thermal", "power"});
  EXPECT_THAT(get("clocks.event_reasons"), AllOf(HasSubstr("hw_thermal_slowdown"), HasSubstr("sw_power_cap")));
  apply({"sram-ecc", "7", "--type", "parity", "--source", "sm", "--threshold-exceeded"});
  EXPECT_THAT(get("ecc.sram.source_sm"), HasSubstr("7"));
  apply({"fabric-health", "route_unhealthy", "no_partition"});
  EXPECT_THAT(get("fabric.health_mask"), HasSubstr("1178"));
  apply({"nvlink-error", "2.5", "--links", "0,3"});
  apply({"set", "memory.used_bytes=1048576"});
  EXPECT_THAT(get("memory.used_bytes"), HasSubstr("1048576"));
  EXPECT_THAT(good({"get", "--gpu", "0", "thermal.gpu_c"}), HasSubstr("30")) << "the other one is as it was";
  apply({"fail", "--mode", "lost"});
  EXPECT_THAT(good({"status"}), HasSubstr("GPU 1: lost"));
  apply({"fail", "--mode", "healthy"});
  EXPECT_THAT(good({"status"}), Not(HasSubstr("GPU 1: lost")));
  ctl({"reset", "--machine", "m"});
  EXPECT_THAT(get("thermal.gpu_c"), HasSubstr("30"));
  EXPECT_THAT(get("clocks.event_reasons"), Not(HasSubstr("hw_thermal_slowdown")));
}

TEST_F(MockCommandTest, ALinkOfItsNameIsTheProgram) {
  const std::string link = file("nvml-mock-ctl");
  const std::string own = file("own.yaml");
  const auto outcome =
      shell("ln -s $nvmlab " + link + " && " + link + " pstate --gpu 0 3 --file " + own + " && cat " + own);
  EXPECT_THAT(outcome.out, HasSubstr("ok: pstate applied to 0\n")) << outcome.story();
  EXPECT_THAT(outcome.out, HasSubstr("performance_state: P3")) << outcome.story();
}

TEST_F(MockCommandTest, UpTakesWhatTheFileSays) {
  ctl({"temp", "--gpu", "0", "77"});
  good({"up", "n"});
  EXPECT_THAT(good({"get", "--machine", "n", "--gpu", "0", "thermal.gpu_c"}), HasSubstr("77"));
}

}  // namespace
}  // namespace nvmlab::test
