// SPDX-License-Identifier: Apache-2.0
// nvmlab load FILE: a machine does again what nvidia-smi saw a board do.
#include <fstream>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class TraceCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "node", "--profile", "dgx-h100", "--gpus", "2", "--clock", "virtual", "--seed", "7"});
    environment_["NVMLAB_MACHINE"] = "node";
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }
  int value(const std::string& path, const std::string& gpu = "0") const {
    return std::stoi(good({"get", "--gpu", gpu, path}));
  }
  // So long a load that power and shares are settled at its end.
  std::string steady() const {
    std::string text = "timestamp, utilization.gpu [%], utilization.memory [%], power.draw [W]\n";
    for (int second = 10; second < 40; ++second)
      text += "2026/07/14 08:12:" + std::to_string(second) + ".000, 80 %, 30 %, 512.00 W\n";
    return text;
  }
};

TEST_F(TraceCommand, TakesAsLongAsTheTraceAndEndsIdle) {
  const int energy = value("power.energy_mj");
  good({"load", "--gpu", "0", write("steady.csv", steady())});
  EXPECT_NEAR((value("power.energy_mj") - energy) / 1000.0, 30 * 512, 30 * 512 * 0.02) << "30 s at 512 W";
  EXPECT_GT(value("thermal.gpu_c"), 40);
  EXPECT_LT(value("thermal.gpu_c", "1"), 35) << "nothing works there";
  good({"clock", "advance", "5s"});
  EXPECT_EQ(value("utilization.gpu_percent"), 0);
  EXPECT_LT(value("power.draw_average_mw"), 100'000);
}

TEST_F(TraceCommand, OneMachineReadsAsAnother) {
  good({"up", "twin", "--profile", "dgx-h100", "--gpus", "2", "--clock", "virtual", "--seed", "7"});
  const std::string trace = write("steady.csv", steady());
  for (const char* machine : {"node", "twin"})
    good({"load", "--machine", machine, "--gpu", "0", trace});
  const auto told = [&](const char* machine) {
    return good({"get", "--machine", machine, "--gpu", "0", "power", "thermal", "clocks", "utilization"});
  };
  EXPECT_EQ(told("node"), told("twin"));
}

TEST_F(TraceCommand, RefusesFilesWithPlaceAndRemedy) {
  const auto refused = [&](const std::string& text) {
    const Outcome outcome = nvmlab({"load", "--gpu", "0", write("bad.csv", text)});
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(refused("utilization.gpu [%]\n5 %\nmuch\n"),
              HasSubstr("bad.csv:3:1: utilization.gpu: 'much' is no number"));
  EXPECT_THAT(refused(""), HasSubstr("nvidia-smi dmon"));
  EXPECT_THAT(bad(2, {"load", "--gpu", "0", steady().substr(0, 9)}), HasSubstr("there is no load"));
  EXPECT_NE(nvmlab({"load", file("none.csv")}).err.find("cannot be read"), std::string::npos);
  EXPECT_THAT(bad(2, {"load", write("steady.csv", steady()), "--for", "5m"}), HasSubstr("ends by itself"));
  EXPECT_EQ(value("utilization.gpu_percent"), 0);
}

TEST_F(TraceCommand, AFrozenClockGetsNowhere) {
  good({"clock", "freeze"});
  EXPECT_THAT(bad(1, {"load", "--gpu", "0", write("steady.csv", steady())}), HasSubstr("frozen"));
}

}  // namespace
}  // namespace nvmlab::test
