// SPDX-License-Identifier: Apache-2.0
// nvmlab plot: what it draws of machines and of files, and what it refuses.
#include <fstream>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

class PlotCommand : public Cli {
 protected:
  std::string plotted(Words words, const std::string& name = "out.svg") const {
    words.insert(words.end(), {"--output", file(name)});
    EXPECT_EQ(good(words), "");
    return read_file(file(name)).value_or("");
  }
};

// The picture of the guide.
TEST_F(PlotCommand, TheHourOfTheGuideIsTheSameToTheByte) {
  for (const char* name : {"first", "second"}) {
    good({"up", name, "--profile", "dgx-h100", "--gpus", "1", "--clock", "virtual", "--seed", "7"});
    good({"load", "--machine", name, "training", "--ambient", "52", "--for", "45m"});
    const std::string svg = plotted(
        {"plot", "--machine", name, "--for", "1h", "--every", "5s", "--title", "An hour of training in air of 52 C"});
    EXPECT_THAT(svg, HasSubstr("clocks.event_reasons: sw_thermal_slowdown"));
    EXPECT_THAT(svg, HasSubstr("thermal.gpu_c"));
    const auto committed = read_file(source_folder() / "docs/guide/training-hour.svg");
    EXPECT_EQ(svg, committed.value_or("")) << "docs/guide/load.md says how the picture is made";
  }
}

TEST_F(PlotCommand, DrawsAFileAndWhatAMachineMakesOfIt) {
  std::ofstream(file("dmon.txt")) << "# gpu pwr gtemp sm mem pclk\n# Idx W C % % MHz\n0 70 40 0 0 345\n"
                                     "0 600 60 100 10 1980\n0 610 - 100 10 1980\n";
  const std::string seen = plotted({"plot", "--trace", file("dmon.txt")});
  for (const char* name : {">pwr<", ">gtemp<", ">pclk<", ">sm<"})
    EXPECT_THAT(seen, HasSubstr(name));
  EXPECT_THAT(plotted({"plot", "--trace", file("dmon.txt"), "pwr"}), HasSubstr(">W<"));
  good({"up", "node", "--profile", "dgx-h100", "--gpus", "2", "--clock", "virtual"});
  const std::string made = plotted({"plot", "--machine", "node", "--gpu", "0,1", "--load", file("dmon.txt"), "--for",
                                    "10s", "--every", "1s", "power.draw_mw"});
  EXPECT_THAT(made, HasSubstr("power.draw_mw of GPU 1"));
}

TEST_F(PlotCommand, RefusesWhatItCannotDraw) {
  good({"up", "node", "--profile", "dgx-h100", "--clock", "virtual"});
  environment_["NVMLAB_MACHINE"] = "node";
  EXPECT_THAT(bad(2, {"plot"}), HasSubstr("--output"));
  EXPECT_THAT(bad(1, {"plot", "thermal.gpu", "--output", file("x.svg")}), HasSubstr("its fields are: gpu_c"));
  EXPECT_THAT(bad(2, {"plot", "--for", "1d", "--every", "1ms", "--output", file("x.svg")}), HasSubstr("looks"));
  EXPECT_THAT(bad(2, {"plot", "--for", "soon", "--output", file("x.svg")}), StartsWith("--for"));
  std::ofstream(file("dmon.txt")) << "# gpu sm\n# Idx %\n0 5\n";
  EXPECT_THAT(bad(2, {"plot", "--trace", file("dmon.txt"), "ms", "--output", file("x.svg")}),
              HasSubstr("no column 'ms'"));
  EXPECT_FALSE(read_file(file("x.svg")));
}

}  // namespace
}  // namespace nvmlab::test
