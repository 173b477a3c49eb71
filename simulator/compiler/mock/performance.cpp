// SPDX-License-Identifier: Apache-2.0
//
// The performance monitor, the clocks that can be chosen and the distance between devices, as a Go mock configuration
// has them. That mock knows no kernels and takes fixed shares of the utilization for each pipe. Tests:
// tests/unit/compiler/mock_config_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/nearest.hpp"
#include "compiler/mock/device.hpp"
#include "compiler/mock/scalars.hpp"
#include "compiler/values.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint32_t kUsualMib = 2048;  // that the PCIe link moves at 100 %, a second
constexpr std::uint32_t kMostMib = 4'000'000;
constexpr std::uint32_t kFastestMhz = 65'535;

struct Share {
  const char* field;
  std::uint32_t percent;
};
constexpr Share kShares[] = {
    {"gpm.sm_share_percent", 100},    {"gpm.occupancy_share_percent", 75}, {"gpm.integer_share_percent", 10},
    {"gpm.tensor_share_percent", 50}, {"gpm.hmma_share_percent", 40},      {"gpm.dmma_share_percent", 5},
    {"gpm.imma_share_percent", 5},    {"gpm.dfma_share_percent", 2},       {"gpm.fp64_share_percent", 5},
    {"gpm.fp32_share_percent", 25},   {"gpm.fp16_share_percent", 35}};

struct Level {
  const char* name;
  const char* field;  // of which equal values make the distance; null: none
};
constexpr Level kLevels[] = {{"internal", "topology.pcie_switch"},
                             {"single", "topology.pcie_switch"},
                             {"multiple", "topology.upper_pcie_switch"},
                             {"hostbridge", "topology.root_complex"},
                             {"node", "topology.numa_node"},
                             {"system", nullptr}};

Fact<std::uint32_t>& fact_of(const char* field, GpuDraft& gpu) {
  return *reinterpret_cast<Fact<std::uint32_t>*>(gpu.bytes() + find_field(field)->offset);
}

}  // namespace

void MockDevice::performance_monitor(const yaml::Node& node) {
  if (!is_mapping(node, "gpm")) return;
  for (const auto& [key, value] : node.entries) {
    const std::string path = "gpm." + key.scalar;
    if (key.scalar == "supported") {
      if (!value.is_null()) gpu_.state->gpm.supported.set(mock_truth(value, path, problems_) ? 1 : 0);
      gpu_.marks[leaf_of(*find_field(path))] = {&mock_source(), &value.place};
    } else if (key.scalar == "pcie_tx_mib_per_sec") {
      full_tx_mib_ = mock_number(value, path, kMostMib, kUsualMib, problems_);
    } else if (key.scalar == "pcie_rx_mib_per_sec") {
      full_rx_mib_ = mock_number(value, path, kMostMib, kUsualMib, problems_);
    } else {
      note(key, fmt::format("{} is unknown to nvmlab and left out", in_quotes(path)));
      unheeded_.insert(path);
    }
  }
}

void MockDevice::monitored_shares() {
  Gpu& gpu = *gpu_.state;
  if (!gpu.gpm.supported.has_value()) {
    const std::uint32_t architecture = gpu.identity.architecture.value_or(nvml::abi::DEVICE_ARCH_UNKNOWN);
    const bool has = architecture >= nvml::abi::DEVICE_ARCH_HOPPER && architecture != nvml::abi::DEVICE_ARCH_UNKNOWN;
    gpu.gpm.supported.set(has ? 1 : 0);
    gpu_.marks[leaf_of(*find_field("gpm.supported"))].source = &derived_source();
  }
  for (const Share& share : kShares) {
    if (gpu.gpm.supported.value == 0) break;
    fact_of(share.field, gpu_).set(share.percent);
    gpu_.marks[leaf_of(*find_field(share.field))].source = &derived_source();
  }
}

// The monitor tells what the getters of PCIe traffic tell, so both follow the utilization.
void MockDevice::monitored_traffic() {
  Gpu& gpu = *gpu_.state;
  const auto follow = [&](const char* name, const std::optional<std::uint32_t>& stated, Fact<std::uint32_t>& kbps,
                          std::uint32_t& curve) {
    const std::uint32_t leaf = leaf_of(*find_field(name));
    if (!stated && (gpu.gpm.supported.value == 0 || gpu_.marks[leaf].place != nullptr)) return;
    const std::uint32_t full = stated.value_or(kUsualMib) * 1024;
    curve = full;
    kbps.set(static_cast<std::uint32_t>(std::uint64_t{full} * gpu.utilization.gpu_percent.value_or(0) / 100));
    gpu_.marks[leaf].source = &derived_source();
  };
  SetMetricCurves& curves = behaviour_.curves;
  follow("pci.tx_kbps", full_tx_mib_, gpu.pci.tx_kbps, curves.full_tx_kbps);
  follow("pci.rx_kbps", full_rx_mib_, gpu.pci.rx_kbps, curves.full_rx_kbps);
}

// A board has what its configuration moves, or lets fail, also where it states no value of it.
void MockDevice::readings_that_change() {
  const auto have = [&](std::initializer_list<const char*> names, bool wanted) {
    for (const char* name : names) {
      if (!wanted || fact_of(name, gpu_).has_value()) continue;
      fact_of(name, gpu_).set(0);
      gpu_.marks[leaf_of(*find_field(name))].source = &derived_source();
    }
  };
  const std::uint32_t which = behaviour_.curves.which;
  have({"thermal.gpu_c"}, (which & kTemperatureCurve) != 0);
  have({"power.draw_mw", "power.draw_average_mw", "power.draw_instant_mw"}, (which & kPowerCurve) != 0);
  have({"utilization.gpu_percent", "utilization.memory_percent"}, (which & kUtilizationCurve) != 0);
  if (behaviour_.failure.mode != "ecc_uncorrectable") return;
  for (Ecc::Counts* errors : {&gpu_.state->ecc.uncorrected_volatile, &gpu_.state->ecc.uncorrected_aggregate}) {
    if (!errors->dram.has_value()) errors->dram.set(0);
  }
}

void MockDevice::supported_clocks(const yaml::Node& node) {
  auto& supported = gpu_.state->clocks.supported;
  supported = {};
  if (node.is_null() || !is_mapping(node, "supported_clocks")) return;
  const yaml::Node* rows = node.find("memory_clocks");
  for (const auto& [key, value] : node.entries) {
    if (key.scalar == "memory_clocks") continue;
    note(key, fmt::format("'supported_clocks.{}' is unknown to nvmlab and left out", key.scalar));
    unheeded_.insert("supported_clocks." + key.scalar);
  }
  if (rows == nullptr || rows->is_null()) return;
  if (!rows->is_sequence() || rows->items.size() > supported.capacity)
    return problem(*rows, fmt::format("'supported_clocks.memory_clocks' takes a list of up to {}", supported.capacity));
  for (const yaml::Node& row : rows->items) {
    if (!is_mapping(row, "supported_clocks.memory_clocks[]")) continue;
    Clocks::MemoryClock& memory = supported[supported.count++];
    if (const yaml::Node* mhz = row.find("freq_mhz"))
      memory.memory_mhz.set(mock_number(*mhz, "freq_mhz", kFastestMhz, 0, problems_));
    const yaml::Node* list = row.find("graphics_clocks");
    if (list == nullptr || !list->is_sequence()) continue;
    if (list->items.size() > memory.graphics_mhz.capacity)
      return problem(*list, fmt::format("'graphics_clocks' takes up to {} clocks", memory.graphics_mhz.capacity));
    for (const yaml::Node& clock : list->items)
      memory.graphics_mhz[memory.graphics_mhz.count++] =
          static_cast<std::uint16_t>(mock_number(clock, "graphics_clocks[]", kFastestMhz, 0, problems_));
    std::ranges::sort(memory.graphics_mhz.items, memory.graphics_mhz.items + memory.graphics_mhz.count,
                      std::ranges::greater{});
  }
  std::ranges::sort(supported.items, supported.items + supported.count, std::ranges::greater{},
                    [](const Clocks::MemoryClock& row) { return row.memory_mhz.value_or(0); });
  gpu_.marks[leaf_of(*find_field("clocks.supported"))] = {&mock_source(), &node.place};
}

// As that mock, for a configuration whose `pcie_topology` names no place of the device.
void MockDevice::topology_level(const yaml::Node& node) {
  if (node.is_null() || !is_mapping(node, "topology")) return;
  for (const auto& [key, value] : node.entries) {
    const std::string word = mock_word(value.scalar);
    const auto* level = std::ranges::find_if(kLevels, [&word](const Level& one) { return word == one.name; });
    if (key.scalar != "default_level" || level == std::end(kLevels)) {
      note(key, fmt::format("'topology.{}' is unknown to nvmlab and left out", key.scalar));
      unheeded_.insert("topology." + key.scalar);
      continue;
    }
    Topology& topology = gpu_.state->topology;
    for (Fact<std::uint32_t>* place :
         {&topology.pcie_switch, &topology.upper_pcie_switch, &topology.root_complex, &topology.numa_node})
      *place = {};
    if (level->field == nullptr) continue;
    fact_of(level->field, gpu_).set(0);
    gpu_.marks[leaf_of(*find_field(level->field))] = {&mock_source(), &value.place};
  }
}

}  // namespace nvmlab::compiler
