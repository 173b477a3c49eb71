// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/curves.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "compiler/mock/config.hpp"

namespace nvmlab::compiler {
namespace {

MockMachine made_of(const std::string& text) {
  auto made =
      compile_mock_text("version: \"1.0\"\nsystem: {driver_version: 550.163.01}\n" + text, "mock.yaml", nullptr);
  EXPECT_TRUE(made) << (made ? "" : describe(made.error()));
  return made ? std::move(*made) : MockMachine{};
}

SetMetricCurves curves_of(const MockMachine& machine, std::size_t gpu = 0) {
  return gpu < machine.behaviours.size() ? machine.behaviours[gpu].curves : SetMetricCurves{};
}

TEST(MockCurves, AreWhatDynamicMetricsSay) {
  const MockMachine made = made_of(
      "devices: [{index: 0, dynamic_metrics: {seed: -1, temperature: {base_c: 45, variance_c: 3, ramp_c: 20,\n"
      "  ramp_period_sec: 120}, power: {base_mw: 250000, variance_mw: 20000}, utilization: {pattern: burst,\n"
      "  gpu_min: 10, gpu_max: 90, memory_min: 5, memory_max: 60, burst_period_sec: 15}}}]\n");
  ASSERT_EQ(made.changes.size(), 1U);
  EXPECT_TRUE(made.unheeded.empty());
  SetMetricCurves curves{};
  std::memcpy(&curves, made.changes[0].body, sizeof curves);
  EXPECT_EQ(curves.which, std::uint32_t{kTemperatureCurve | kPowerCurve | kUtilizationCurve});
  EXPECT_EQ(curves.seed, ~std::uint64_t{0});
  EXPECT_EQ(curves.base_c, 45);
  EXPECT_EQ(curves.variance_c, 3U);
  EXPECT_EQ(curves.ramp_c, 20U);
  EXPECT_EQ(curves.ramp_period_s, 120U);
  EXPECT_EQ(curves.base_mw, 250'000U);
  EXPECT_EQ(curves.variance_mw, 20'000U);
  EXPECT_EQ(curves.pattern, UsePattern::burst);
  EXPECT_EQ(curves.gpu_max, 90U);
  EXPECT_EQ(curves.memory_min, 5U);
  EXPECT_EQ(curves.burst_period_s, 15U);
}

TEST(MockCurves, OfADeviceLieOverTheDefaultsKeyByKeyAndNullTakesThemBack) {
  const MockMachine made = made_of(
      "device_defaults: {dynamic_metrics: {temperature: {base_c: 45, ramp_c: 20}, utilization: {pattern: busy}}}\n"
      "devices: [{index: 0, dynamic_metrics: {temperature: {base_c: 50}, utilization: null}},\n"
      "          {index: 1, dynamic_metrics: null}, {index: 2}]\n");
  EXPECT_EQ(curves_of(made).which, std::uint32_t{kTemperatureCurve});
  EXPECT_EQ(curves_of(made).base_c, 50);
  EXPECT_EQ(curves_of(made).ramp_c, 20U);
  EXPECT_EQ(curves_of(made, 1).which, 0U);
  EXPECT_EQ(curves_of(made, 2).pattern, UsePattern::busy);
  EXPECT_EQ(made.changes.size(), 2U);
}

TEST(MockCurves, LinkErrorsAreARateOfSomeLinksOrOfAll) {
  const MockMachine made = made_of(
      "nvlink: {version: 4, links_per_gpu: 4, defaults: {error_rate: 0.5, counter_seed: 77}}\n"
      "devices: [{index: 0, nvlink_error: {rate: 2.5, links: [0, 3]}}, {index: 1}]\n");
  EXPECT_EQ(curves_of(made, 1).link_error_milli, 500U);
  EXPECT_EQ(curves_of(made, 1).links, 0U);
  EXPECT_EQ(curves_of(made).link_error_milli, 3'000U) << "both";
  EXPECT_EQ(made.machine.gpu(0).nvlink.links[1].data_tx_kib.value_or(0), 77U);
  const MockMachine healed = made_of("devices: [{index: 0, nvlink_error: {rate: 0, links: [1]}}]\n");
  EXPECT_EQ(curves_of(healed).which, 0U);
}

TEST(MockCurves, PcieTrafficFollowsTheUtilizationWhereItIsMonitored) {
  const MockMachine made = made_of(
      "device_defaults: {architecture: hopper, utilization: {gpu: 50}}\n"
      "devices: [{index: 0, gpm: {pcie_tx_mib_per_sec: 100}}, {index: 1, gpm: {supported: false}}]\n");
  const Gpu& gpu = made.machine.gpu(0);
  EXPECT_EQ(gpu.gpm.supported.value_or(9), 1U) << "from Hopper on";
  EXPECT_EQ(gpu.gpm.occupancy_share_percent.value_or(0), 75U);
  EXPECT_EQ(gpu.pci.tx_kbps.value_or(0), 51'200U);
  EXPECT_EQ(gpu.pci.rx_kbps.value_or(0), 1'048'576U) << "2048 MiB/s where nothing is said";
  EXPECT_EQ(made.machine.gpu(1).gpm.supported.value_or(9), 0U);
  EXPECT_FALSE(made.machine.gpu(1).pci.tx_kbps.has_value());
}

TEST(MockCurves, ClocksThatCanBeChosenAreSorted) {
  const MockMachine made = made_of(
      "devices: [{index: 0, supported_clocks: {memory_clocks: [{freq_mhz: 405, graphics_clocks: [300]},\n"
      "  {freq_mhz: 1593, graphics_clocks: [345, 1980, 690]}]}}]\n");
  const auto& supported = made.machine.gpu(0).clocks.supported;
  ASSERT_EQ(supported.size(), 2U);
  EXPECT_EQ(supported[0].memory_mhz.value_or(0), 1593U);
  ASSERT_EQ(supported[0].graphics_mhz.size(), 3U);
  EXPECT_EQ(supported[0].graphics_mhz[0], 1980U);
  EXPECT_EQ(supported[0].graphics_mhz[2], 345U);
  EXPECT_TRUE(made.unheeded.empty());
}

TEST(MockCurves, WhatMovesOrFailsIsThere) {
  const MockMachine made = made_of(
      "devices: [{index: 0, dynamic_metrics: {utilization: {}, temperature: {base_c: 50}}},\n"
      "          {index: 1, failure: {mode: ecc_uncorrectable}}]\n");
  EXPECT_EQ(made.machine.gpu(0).utilization.gpu_percent.value_or(9), 0U);
  EXPECT_TRUE(made.machine.gpu(0).thermal.gpu_c.has_value());
  EXPECT_FALSE(made.machine.gpu(0).power.draw_mw.has_value());
  EXPECT_EQ(made.machine.gpu(1).ecc.uncorrected_volatile.dram.value_or(9), 0U);
}

TEST(MockCurves, WhatIsWrongIsSaid) {
  for (const char* block :
       {"dynamic_metrics: 5", "dynamic_metrics: {temperature: {base_c: hot}}", "dynamic_metrics: {seed: x}",
        "dynamic_metrics: {utilization: {gpu_max: 101}}", "nvlink_error: {rate: -1}", "nvlink_error: {links: 3}",
        "gpm: 1", "gpm: {pcie_tx_mib_per_sec: x}", "supported_clocks: {memory_clocks: 5}", "topology: here"}) {
    EXPECT_FALSE(compile_mock_text(std::string("devices: [{") + block + "}]\n", "mock.yaml", nullptr)) << block;
  }
  const MockMachine odd = made_of(
      "devices: [{dynamic_metrics: {waves: 1, utilization: {pattern: dancing}}, topology: {default_level: near}}]\n");
  EXPECT_EQ(odd.unheeded, (std::vector<std::string>{"dynamic_metrics.waves", "topology.default_level"}));
}

TEST(MockCurves, ADistanceIsToldWhereNoPlaceIs) {
  const MockMachine made = made_of("device_defaults: {topology: {default_level: hostbridge}}\ndevices: [{}, {}]\n");
  const Topology& topology = made.machine.gpu(1).topology;
  EXPECT_EQ(topology.root_complex.value_or(9), 0U);
  EXPECT_FALSE(topology.pcie_switch.has_value());
}

}  // namespace
}  // namespace nvmlab::compiler
