// SPDX-License-Identifier: Apache-2.0
//
// Monitoring of a GPU that trains: nvidia_gpu_exporter asks a real nvidia-smi, which asks ours; what it tells over an
// hour of machine time makes the alert rules of examples/gpu-alerts.yaml fire in promtool. nvtop draws its curve.
#include <gtest/gtest.h>

#include <fstream>

#include <fmt/format.h>

#include "tests/clients/smi.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

class Monitors : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string nvmlab() const { return (binary_folder() / "bin/nvmlab").string(); }
  Outcome shell(const std::string& script) const {
    Command command;
    command.arguments = {"bash", "-euc", script};
    command.environment = {{"NVMLAB_RUNTIME_DIR", file("run")}, {"nvmlab", nvmlab()}, {"HOME", file("home")}};
    return run(command);
  }

 private:
  TempFolder folder_;
};

TEST_F(Monitors, AnExporterTellsTheLoadAndAlertsFire) {
  NVMLAB_REQUIRE_CLIENT(exporter, "nvidia-gpu-exporter");
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  NVMLAB_REQUIRE_CLIENT(promtool, "promtool");
  const std::string script = fmt::format(
      "mkdir -p \"$NVMLAB_RUNTIME_DIR\" \"$HOME\"\n"
      "\"$nvmlab\" up hot --profile dgx-h100 --gpus 1 --clock virtual --seed 7\n"
      "\"$nvmlab\" load --machine hot training --ambient 52\n"
      "port=$(python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(s.getsockname()[1])')\n"
      "\"$nvmlab\" run --machine hot -- {} --web.listen-address=127.0.0.1:$port --nvidia-smi-command={} 2> {} &\n"
      "trap 'kill $!; \"$nvmlab\" down hot' EXIT\n"
      "python3 {} http://127.0.0.1:$port/metrics \"$nvmlab\" hot 20 "
      "nvidia_smi_clocks_event_reasons_sw_thermal_slowdown nvidia_smi_temperature_gpu nvidia_smi_power_draw_watts "
      "nvidia_smi_utilization_gpu_ratio > {}\n"
      "\"$nvmlab\" get --machine hot thermal.gpu_c > {}\n",
      exporter.program.string(), smi.program.string(), file("exporter.log"),
      (source_folder() / "tests/clients/exporter_scrapes.py").string(), file("series"), file("celsius"));
  const auto scraped = shell(script);
  ASSERT_TRUE(scraped.ok()) << scraped.story() << read_file(file("exporter.log")).value_or("");
  const std::string series = read_file(file("series")).value_or("");
  EXPECT_EQ(series.find(" _"), std::string::npos) << "each metric in each scrape\n" << series;
  // The last scrape and this reading are of one time.
  const std::string celsius = read_file(file("celsius")).value_or("0");
  EXPECT_NE(series.find(fmt::format(" {}'", std::stoi(celsius))), std::string::npos) << celsius << series;
  std::ofstream(file("test.yaml")) << fmt::format(
      "rule_files: [{}]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n{}    alert_rule_test:\n"
      "      - {{eval_time: 2m, alertname: GpuThermalSlowdown, exp_alerts: []}}\n"
      "      - eval_time: 20m\n        alertname: GpuThermalSlowdown\n        exp_alerts:\n"
      "          - exp_labels: {{severity: warning, uuid: gpu}}\n"
      "            exp_annotations: {{summary: 'GPU gpu is too hot to run at its clocks'}}\n"
      "      - eval_time: 20m\n        alertname: GpuHot\n        exp_alerts:\n"
      "          - exp_labels: {{severity: warning, uuid: gpu}}\n"
      "            exp_annotations: {{summary: 'GPU gpu has been above 80 C for five minutes'}}\n",
      (source_folder() / "examples/gpu-alerts.yaml").string(), series);
  const auto fired = shell(fmt::format("{} test rules {}", promtool.program.string(), file("test.yaml")));
  EXPECT_TRUE(fired.ok()) << fired.story() << series;
}

// As the picture of the guide is made.
TEST_F(Monitors, NvtopDrawsTheCurve) {
  NVMLAB_REQUIRE_CLIENT(nvtop, "nvtop");
  const auto drawn = shell(
      fmt::format("mkdir -p \"$NVMLAB_RUNTIME_DIR\" \"$HOME\"\nexport XDG_CONFIG_HOME=$HOME\n"
                  "\"$nvmlab\" up curve --profile dgx-h100 --gpus 1 --seed 7\ntrap '\"$nvmlab\" down curve' EXIT\n"
                  ". {}/tests/support/waiting.sh\n"
                  "is_open() {{ \"$nvmlab\" status --machine curve | grep -q 'nvtop\\['; }}\n"
                  "(eventually is_open; \"$nvmlab\" load --machine curve training) &\n"
                  "{}/scripts/terminal-picture {} until:'POW +[3-9][0-9][0-9] / 700 W' 32x120 "
                  "\"$nvmlab\" run --machine curve -- env LD_PRELOAD=\"$NVMLAB_CLIENT_PRELOAD\" {}\nwait $!\n",
                  source_folder().string(), source_folder().string(), file("nvtop.svg"), nvtop.program.string()));
  ASSERT_TRUE(drawn.ok()) << drawn.story();
  const std::string picture = read_file(file("nvtop.svg")).value_or("");
  EXPECT_NE(picture.find("POW"), std::string::npos);
  EXPECT_NE(picture.find("GPU0 %"), std::string::npos) << picture;
  EXPECT_NE(picture.find("│"), std::string::npos) << "the flank of the curve";
  EXPECT_NE(picture.find(" / 700 W"), std::string::npos) << picture;
}

}  // namespace
}  // namespace nvmlab::test
