// SPDX-License-Identifier: Apache-2.0
// nvmlab load, and how get, watch, status and the log show what it does.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class LoadCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "node", "--profile", "dgx-h100", "--gpus", "2", "--clock", "virtual", "--seed", "7"});
    environment_["NVMLAB_MACHINE"] = "node";
  }
  int value(const std::string& path, const std::string& gpu = "0") const {
    return std::stoi(good({"get", "--gpu", gpu, path}));
  }
};

TEST_F(LoadCommand, MovesOneGpuAndNoOther) {
  const int cold = value("thermal.gpu_c");
  good({"load", "--gpu", "0", "training"});
  good({"clock", "advance", "5m"});
  EXPECT_GT(value("utilization.gpu_percent"), 95);
  EXPECT_GT(value("power.draw_average_mw"), 550'000);
  EXPECT_GT(value("thermal.gpu_c"), cold + 20);
  EXPECT_EQ(value("utilization.gpu_percent", "1"), 0);
  EXPECT_EQ(json::parse(good({"status", "--json"}))["gpus_loaded"], 1);
  EXPECT_THAT(good({"log"}), HasSubstr("set-load"));
}

TEST_F(LoadCommand, SharesAndItsEndCanBeSaid) {
  good({"load", "inference", "--sm", "40", "--memory", "10", "--for", "10m"});
  good({"clock", "advance", "1m"});
  EXPECT_NEAR(value("utilization.gpu_percent", "1"), 40, 2);
  EXPECT_NEAR(value("utilization.memory_percent"), 10, 2);
  good({"clock", "advance", "10m"});
  EXPECT_EQ(value("utilization.gpu_percent"), 0);
}

TEST_F(LoadCommand, IsTheWorkOfAProcess) {
  EXPECT_THAT(bad(1, {"load", "--gpu", "0", "training", "--pid", "4242"}), HasSubstr("nvmlab ps add"));
  good({"ps", "add", "--gpu", "0", "--pid", "4242"});
  good({"load", "--gpu", "0", "training", "--pid", "4242"});
  good({"clock", "advance", "1m"});
  EXPECT_EQ(value("processes.running[0].sm_percent"), value("utilization.gpu_percent"));
  EXPECT_GT(value("utilization.gpu_percent"), 90);
  good({"ps", "rm", "--gpu", "0", "--pid", "4242"});
  good({"clock", "advance", "10s"});
  EXPECT_EQ(value("utilization.gpu_percent"), 0);
}

TEST_F(LoadCommand, ProcessesShareAGpu) {
  good({"ps", "add", "--gpu", "0", "--pid", "11"});
  good({"ps", "add", "--gpu", "0", "--pid", "12"});
  good({"load", "--gpu", "0", "training", "--sm", "40", "--pid", "11"});
  good({"load", "--gpu", "0", "inference", "--sm", "20", "--pid", "12"});
  good({"clock", "advance", "1m"});
  EXPECT_NEAR(value("processes.running[0].sm_percent"), 40, 3);
  EXPECT_EQ(value("processes.running[0].sm_percent") + value("processes.running[1].sm_percent"),
            value("utilization.gpu_percent"));
  good({"load", "--gpu", "0", "idle", "--pid", "11"});
  good({"clock", "advance", "1m"});
  EXPECT_EQ(value("processes.running[0].sm_percent"), 0);
  EXPECT_NEAR(value("utilization.gpu_percent"), 20, 3);
}

TEST_F(LoadCommand, AReadingThatIsPinnedStays) {
  good({"load", "training"});
  good({"set", "--gpu", "0", "--force", "utilization.gpu_percent=7"});
  good({"clock", "advance", "1m"});
  EXPECT_EQ(value("utilization.gpu_percent"), 7);
  good({"release", "--gpu", "0"});
  EXPECT_GT(value("utilization.gpu_percent"), 90);
}

TEST_F(LoadCommand, ASettingUnderLoadChangesNothingElse) {
  good({"load", "training"});
  good({"clock", "advance", "1m"});
  const int energy = value("power.energy_mj");
  good({"set", "--gpu", "0", "modes.accounting=enabled"});
  EXPECT_EQ(value("power.energy_mj"), energy);
  good({"set", "--gpu", "0", "thermal.gpu_c=80"});
  EXPECT_EQ(value("thermal.gpu_c"), 80);
  good({"clock", "advance", "10m"});
  EXPECT_LT(value("thermal.gpu_c"), 80) << "it cools down to where the load keeps it";
}

}  // namespace
}  // namespace nvmlab::test
