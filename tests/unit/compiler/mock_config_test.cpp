// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/config.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/mock/rules.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

class MockConfig : public testing::Test {
 protected:
  MockMachine make(const std::string& text, const CompileOptions& options = {}) {
    auto made = compile_mock_config(scratch_.file("mock.yaml", text), options);
    EXPECT_TRUE(made) << describe(made.error());
    return made ? std::move(*made) : MockMachine{};
  }
  std::string problems(const std::string& text) {
    auto made = compile_mock_config(scratch_.file("mock.yaml", text));
    return made ? "" : test::without(scratch_.folder(), describe(made.error()));
  }
  std::string notes(const MockMachine& made) { return test::without(scratch_.folder(), describe(made.notes)); }
  test::Scratch scratch_;
};

std::string example() {
  std::ifstream file(std::string(std::getenv("NVMLAB_SOURCE_DIR")) + "/tests/unit/compiler/data/mock.yaml");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(MockConfig, EveryKeyOfTheFormatArrives) {
  const MockMachine made = make(example());
  const System& system = made.machine.node().system;
  EXPECT_STREQ(system.driver_version.data, "560.35.03");
  EXPECT_EQ(system.cuda_version.value_or(0), 12060u);
  ASSERT_EQ(made.machine.gpu_count(), 3u);
  const Gpu& gpu = made.machine.gpu(0);
  EXPECT_STREQ(gpu.identity.name.data, "Test Accelerator X1");
  EXPECT_EQ(gpu.identity.brand.value_or(0), 14u);
  EXPECT_EQ(gpu.identity.architecture.value_or(0), 7u);
  EXPECT_EQ(gpu.identity.compute_capability_minor.value_or(9), 6u);
  EXPECT_EQ(gpu.identity.core_count.value_or(0), 4321u);
  EXPECT_STREQ(gpu.identity.inforom_image_version.data, "T100.0001.00.02");
  EXPECT_EQ(gpu.identity.gsp_mode.value_or(9), 1u);
  EXPECT_EQ(gpu.memory.total_bytes.value_or(0), 20ull << 30);
  EXPECT_EQ(gpu.memory.bus_width_bits.value_or(0), 320u);
  EXPECT_EQ(gpu.memory.bar1_used_bytes.value_or(0), 1048576u);
  EXPECT_EQ(gpu.pci.device_id.value_or(0), 0x12AB10DEu);
  EXPECT_EQ(gpu.pci.bus.value_or(0), 0x21u);
  EXPECT_EQ(gpu.pci.link_gen_max.value_or(0), 4u);
  EXPECT_EQ(gpu.power.limit_mw.value_or(0), 210000u);
  EXPECT_EQ(gpu.power.draw_instant_mw.value_or(0), 41500u);
  EXPECT_EQ(gpu.power.state.value_or(9), 2u);
  EXPECT_EQ(gpu.power.energy_mj.value_or(0), 987654u);
  EXPECT_EQ(gpu.thermal.gpu_c.value_or(0), 37u);
  EXPECT_EQ(gpu.thermal.shutdown_c.value_or(0), 97u);  // before Ada a board gives its limits
  EXPECT_FALSE(gpu.thermal.tlimit_c.has_value());
  ASSERT_EQ(gpu.thermal.fans.size(), 2u);
  EXPECT_EQ(gpu.thermal.fans[1].speed_percent.value_or(0), 35u);
  EXPECT_EQ(gpu.clocks.application_graphics_mhz.value_or(0), 1300u);
  EXPECT_EQ(gpu.clocks.performance_state.value_or(9), 3u);
  EXPECT_EQ(gpu.clocks.event_reasons.value_or(0), 0x1u | 0x40u);
  EXPECT_EQ(gpu.clocks.hw_thermal_slowdown_us.value_or(0), 77u);
  EXPECT_EQ(gpu.utilization.ofa_percent.value_or(99), 4u);
  EXPECT_EQ(gpu.utilization.encoder_average_latency_us.value_or(0), 650u);
  EXPECT_EQ(gpu.ecc.mode.value_or(9), 1u);
  EXPECT_EQ(gpu.ecc.corrected_volatile.dram.value_or(0), 11u);
  EXPECT_EQ(gpu.ecc.uncorrected_aggregate.total.value_or(0), 3u);
  EXPECT_EQ(gpu.ecc.sram.volatile_parity.value_or(9), 2u);
  EXPECT_EQ(gpu.ecc.sram.source_pcie.value_or(9), 0u);  // not named: none
  EXPECT_EQ(gpu.ecc.sram.threshold_exceeded.value_or(9), 1u);
  EXPECT_EQ(gpu.ecc.remap_banks_max.value_or(0), 320u);
  EXPECT_EQ(gpu.modes.persistence.value_or(9), 1u);
  EXPECT_EQ(gpu.modes.compute_mode.value_or(9), 3u);
  EXPECT_EQ(gpu.modes.mig_max_devices.value_or(9), 5u);
  EXPECT_EQ(gpu.modes.virtualization.value_or(9), 1u);
  EXPECT_EQ(gpu.modes.accounting_buffer_size.value_or(0), 2000u);
  ASSERT_EQ(gpu.processes.running.size(), 1u);
  EXPECT_STREQ(gpu.processes.running[0].name.data, "train");
  EXPECT_EQ(gpu.processes.running[0].used_bytes.value_or(0), 512ull << 20);
  EXPECT_EQ(gpu.processes.running[0].kinds.value_or(0), 2u);
  EXPECT_EQ(gpu.fabric.state.value_or(9), 3u);
  EXPECT_EQ(gpu.fabric.clique_id.value_or(9), 6u);
  EXPECT_EQ(gpu.fabric.health_mask.value_or(0), 0x1AAu);
  EXPECT_EQ(gpu.fabric.health_summary.value_or(9), 1u);
  EXPECT_EQ(gpu.fabric.slot_number.value_or(0), 12u);
  EXPECT_EQ(gpu.fabric.peer_type.value_or(9), 1u);
  EXPECT_EQ(gpu.identity.module_id.value_or(0), 4u);
}

TEST_F(MockConfig, ADevicesBlockIsLaidOverTheDefaultsKeyByKey) {
  const MockMachine made = make(example());
  const Gpu& gpu = made.machine.gpu(1);
  // Blocks that that mock ignores in `devices`, and keys beside those that are named.
  EXPECT_EQ(gpu.identity.compute_capability_major.value_or(0), 9u);
  EXPECT_EQ(gpu.identity.compute_capability_minor.value_or(9), 6u);
  EXPECT_EQ(gpu.clocks.performance_state.value_or(9), 8u);
  EXPECT_EQ(gpu.pci.link_gen_max.value_or(0), 3u);
  EXPECT_EQ(gpu.pci.link_width_max.value_or(0), 16u);
  EXPECT_EQ(gpu.ecc.remap_pending.value_or(9), 1u);
  EXPECT_EQ(gpu.ecc.remap_banks_max.value_or(0), 320u);
  EXPECT_EQ(gpu.clocks.event_reasons.value_or(0), 0x1u | 0x4u | 0x40u);
  EXPECT_EQ(gpu.fabric.health_mask.value_or(0), 0x19Au);  // one condition raised
  EXPECT_EQ(gpu.fabric.health_summary.value_or(9), 2u);
  EXPECT_STREQ(gpu.identity.uuid.data, "GPU-00000000-1111-4222-8333-444444444444");
  EXPECT_EQ(gpu.pci.device_id.value_or(0), 0x12AB10DEu);
  EXPECT_EQ(gpu.pci.bus.value_or(0), 0x41u);
  // Nothing leaks from one device to the next.
  EXPECT_EQ(made.machine.gpu(2).ecc.remap_pending.value_or(9), 0u);
  EXPECT_EQ(made.machine.gpu(2).pci.link_gen_max.value_or(0), 4u);
  EXPECT_EQ(made.machine.gpu(2).identity.minor_number.value_or(9), 2u);
}

TEST_F(MockConfig, LinksAndTopology) {
  const MockMachine made = make(example());
  const auto& links = made.machine.gpu(0).nvlink.links;
  ASSERT_EQ(links.size(), 4u);
  EXPECT_EQ(links[0].version.value_or(0), 6u);
  EXPECT_EQ(links[0].speed_mbps.value_or(0), 26562u);
  EXPECT_EQ(links[1].remote_type.value_or(9), 2u);
  EXPECT_EQ(links[1].remote_bus.value_or(0), 0xC2u);  // switches in turn
  EXPECT_EQ(links[2].remote_bus.value_or(0), 0xC1u);
  const auto& others = made.machine.gpu(2).nvlink.links;
  EXPECT_EQ(others[3].active.value_or(9), 0u);
  EXPECT_EQ(others[3].remote_type.value_or(9), 0u);
  EXPECT_EQ(others[3].remote_bus.value_or(0), 0x21u);
  EXPECT_EQ(others[0].active.value_or(9), 1u);
  EXPECT_EQ(made.machine.gpu(0).modes.c2c.value_or(9), 1u);
  const Topology& topology = made.machine.gpu(2).topology;
  EXPECT_EQ(topology.root_complex.value_or(9), 1u);
  EXPECT_EQ(topology.numa_node.value_or(9), 1u);
  ASSERT_EQ(topology.cpu_affinity.size(), 2u);
  EXPECT_EQ(topology.cpu_affinity[0], 0xF0u);
  EXPECT_EQ(topology.cpu_affinity[1], 0x1u);
  EXPECT_EQ(topology.memory_affinity[0], 0x2u);
  EXPECT_EQ(made.machine.gpu(0).topology.cpu_affinity[0], 0xFFu);  // eight cores to a node
}

TEST_F(MockConfig, TheTopologyKnowsGpusByTheirAddressesToo) {
  const MockMachine made = make(
      "devices: [{index: 0, pci: {bus_id: \"0000:07:00.0\"}}, {index: 1, pci: {bus_id: \"0000:87:00.0\"}}]\n"
      "pcie_topology: {root_complexes: [{numa_node: 0, devices: [\"0000:07:00.0\"]},\n"
      "                                 {numa_node: 1, devices: [\"0000:87:00.0\", \"0000:99:00.0\"]}]}\n");
  EXPECT_EQ(made.machine.gpu(0).topology.numa_node.value_or(9), 0u);
  EXPECT_EQ(made.machine.gpu(1).topology.numa_node.value_or(9), 1u);
  EXPECT_EQ(made.machine.gpu(1).topology.root_complex.value_or(9), 1u);
}

TEST_F(MockConfig, WhatHasNoMeaningIsTold) {
  const std::string told = notes(make(example()));
  for (const char* key : {"'nvlink.defaults.duty_cycle' is not simulated", "'wings' is unknown to nvmlab and left out",
                          "'power.colour' is unknown to nvmlab and left out", "'infiniband' has no meaning for nvmlab",
                          "'volcano' is no value of identity.brand and left out"}) {
    EXPECT_TRUE(told.contains(key)) << key << "\n" << told;
  }
  EXPECT_TRUE(told.starts_with("mock.yaml:")) << told;
  EXPECT_FALSE(told.contains("free_bytes")) << told;
}

TEST_F(MockConfig, WrongTypesAreErrorsWithTheirPlace) {
  const struct {
    const char* text;
    const char* problem;
  } cases[] = {
      {"[1]\n", "mock.yaml:1:1: a list was found; such a configuration is a mapping\n"},
      {"system: 5\n", "mock.yaml:1:9: a single value was found; 'system' takes a mapping\n"},
      {"system: {driver_version: five}\n",
       "mock.yaml:1:26: 'five' is no driver version; one such as 550.163.01 would be right\n"},
      {"system: {num_devices: -1}\n",
       "mock.yaml:1:23: '-1' was found; 'system.num_devices' takes a whole number from 0 to 4096\n"},
      {"devices: 5\n", "mock.yaml:1:10: a single value was found; 'devices' takes a list\n"},
      {"devices: [5]\n", "mock.yaml:1:11: a single value was found; an item of 'devices' is a mapping\n"},
      {"devices: [{index: 0}, {index: 0}]\n", "mock.yaml:1:31: device 0 stands here a second time\n"},
      {"devices: [{memory: 5}]\n", "mock.yaml:1:20: a single value was found; 'memory' takes a mapping\n"},
      {"devices: [{memory: {total_bytes: lots}}]\n",
       "mock.yaml:1:34: 'lots' is not a whole number; memory.total_bytes takes a whole number (B)\n"},
      {"devices: [{utilization: {gpu: 101}}]\n",
       "mock.yaml:1:31: '101' is out of range; utilization.gpu_percent takes 0 to 100\n"},
      {"devices: [{name: [a]}]\n",
       "mock.yaml:1:18: a list was found; identity.name takes a text of at most 95 bytes\n"},
      {"devices: [{pci: {bus_id: 7}}]\n",
       "mock.yaml:1:26: '7' was found; 'pci.bus_id' takes a PCI address such as 0000:07:00.0\n"},
      {"devices: [{pci: {bus_id: \"0000:07:20.0\"}}]\n",
       "mock.yaml:1:26: '0000:07:20.0' was found; 'pci.bus_id' takes a PCI address such as 0000:07:00.0\n"},
      {"devices: [{clocks_throttle_reasons: {gpu_idle: perhaps}}]\n",
       "mock.yaml:1:48: 'perhaps' was found; 'clocks_throttle_reasons.gpu_idle' takes true or false\n"},
      {"devices: [{processes: {pid: 1}}]\n", "mock.yaml:1:23: a mapping was found; 'processes' takes a list\n"},
      {"devices: [{fan: {count: 99}}]\n",
       "mock.yaml:1:25: '99' was found; 'fan.count' takes a whole number from 0 to 8\n"},
      {"nvlink: [1]\n", "mock.yaml:1:9: a list was found; 'nvlink' takes a mapping\n"},
      {"nvlink: {links_per_gpu: 99}\n",
       "mock.yaml:1:25: '99' was found; 'nvlink.links_per_gpu' takes a whole number from 0 to 18\n"},
      {"pcie_topology: {root_complexes: 5}\n",
       "mock.yaml:1:16: 'pcie_topology' takes a mapping with a list 'root_complexes'\n"},
      {"pcie_topology: {root_complexes: [{devices: [0], cpu_affinity: 9-99999}]}\n",
       "mock.yaml:1:63: 'cpu_affinity' takes CPUs such as 0-31,64-95, below 1024\n"},
      // A problem of the defaults is told once, not once for each device.
      {"device_defaults: {power: {current_draw_mw: x}}\n",
       "mock.yaml:1:44: 'x' is not a whole number; power.draw_mw takes a whole number (mW)\n"
       "mock.yaml:1:44: 'x' is not a whole number; power.draw_average_mw takes a whole number (mW)\n"
       "mock.yaml:1:44: 'x' is not a whole number; power.draw_instant_mw takes a whole number (mW)\n"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(problems(one.text), one.problem) << one.text;
}

TEST_F(MockConfig, SparseFilesGetThatMocksDefaults) {
  const MockMachine made = make("version: \"1.0\"\n");
  EXPECT_EQ(made.machine.gpu_count(), 8u);
  EXPECT_STREQ(made.machine.node().system.driver_version.data, "550.163.01");
  EXPECT_EQ(made.machine.node().system.cuda_version.value_or(0), 12040u);
  EXPECT_EQ(make("system: {num_devices: 5}\n").machine.gpu_count(), 5u);
  EXPECT_EQ(make("system: {num_devices: 0}\n").machine.gpu_count(), 0u);
  EXPECT_EQ(make("devices: [{index: 3}]\n").machine.gpu_count(), 4u);
  EXPECT_EQ(make("system: {cuda_version: \"13.1\"}\n").machine.node().system.cuda_version.value_or(0), 13010u);
}

TEST_F(MockConfig, OptionsWin) {
  const MockMachine made = make(example(), {.gpus = 10, .driver = "535.161.08"});
  EXPECT_EQ(made.machine.gpu_count(), 10u);
  EXPECT_STREQ(made.machine.node().system.driver_version.data, "535.161.08");
  EXPECT_STREQ(made.machine.gpu(9).identity.name.data, "Test Accelerator X1");
}

TEST_F(MockConfig, NewerBoardsTellTheirDistanceToTheLimit) {
  const MockMachine made = make(
      "device_defaults: {architecture: Hopper, thermal: {temperature_gpu_c: 30, max_operating_c: 87, "
      "slowdown_threshold_c: 89, shutdown_threshold_c: 95}}\nsystem: {num_devices: 1}\n");
  const Thermal& thermal = made.machine.gpu(0).thermal;
  EXPECT_EQ(thermal.tlimit_c.value_or(0), 57);
  EXPECT_EQ(thermal.slowdown_tlimit_c.value_or(0), -2);
  EXPECT_EQ(thermal.shutdown_tlimit_c.value_or(0), -8);
  EXPECT_EQ(thermal.gpu_max_tlimit_c.value_or(9), 0);
  EXPECT_FALSE(thermal.shutdown_c.has_value());
}

TEST_F(MockConfig, NumbersThatDoNotAddUpAreBent) {
  const MockMachine made = make(
      "device_defaults: {memory: {total_bytes: 100, reserved_bytes: 50, used_bytes: 80}}\nsystem: {num_devices: 1}\n");
  const Memory& memory = made.machine.gpu(0).memory;
  EXPECT_EQ(memory.used_bytes.value_or(0), 80u);
  EXPECT_EQ(memory.reserved_bytes.value_or(0), 20u);
  EXPECT_TRUE(notes(made).contains("together are more than memory.total_bytes 100")) << notes(made);
}

TEST(MockRules, LeadToFieldsThatExist) {
  for (const MockRule& rule : mock_rules()) {
    if (rule.field == nullptr) continue;
    EXPECT_TRUE(find_field(rule.field)) << rule.key << " -> " << rule.field;
  }
}

}  // namespace
}  // namespace nvmlab::compiler
