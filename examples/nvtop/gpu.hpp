// SPDX-License-Identifier: Apache-2.0
// What nvtop asks of NVML, on the binding: what stays, what moves, and who uses the GPU. Everything is there or not, as
// the board and its driver have it. docs/guide/cookbook.md says what the original needs more lines for.
#pragma once

#include <algorithm>
#include <nvmlab/nvml.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nvtop {

using nvml::or_nothing;

struct Static {
  std::optional<std::string> name;
  std::optional<unsigned> max_pcie_generation;
  std::optional<unsigned> max_pcie_width;
  std::optional<nvml::Celsius> shutdown;
  std::optional<nvml::Celsius> slowdown;
};

struct Dynamic {
  std::optional<nvml::Megahertz> clock;  // the faster one of graphics and SM
  std::optional<nvml::Megahertz> max_clock;
  std::optional<nvml::Megahertz> memory_clock;
  std::optional<nvml::Megahertz> max_memory_clock;
  std::optional<nvml::Utilization> use;
  std::optional<nvml::EngineUtilization> encoder;
  std::optional<nvml::EngineUtilization> decoder;
  std::optional<nvml::Memory> memory;
  std::optional<unsigned> pcie_generation;
  std::optional<unsigned> pcie_width;
  std::optional<nvml::KilobytesPerSecond> received;
  std::optional<nvml::KilobytesPerSecond> sent;
  std::optional<nvml::Percent> fan;
  std::optional<nvml::Celsius> temperature;
  std::optional<nvml::Milliwatts> power;
  std::optional<nvml::Milliwatts> limit;
  bool mig = false;
};

struct Process {
  nvml::ProcessInfo info;
  bool graphics = false;
  nvml::Percent sm{};
  nvml::Percent encoder{};
  nvml::Percent decoder{};
};

class Gpu {
 public:
  explicit Gpu(nvml::Device device) : device_(std::move(device)) {}

  Static look_once() const {
    using enum nvml::TemperatureThreshold;
    return {.name = or_nothing(device_.name()),
            .max_pcie_generation = or_nothing(device_.max_pcie_link_generation()),
            .max_pcie_width = or_nothing(device_.max_pcie_link_width()),
            .shutdown = or_nothing(device_.temperature_threshold(shutdown)),
            .slowdown = or_nothing(device_.temperature_threshold(slowdown))};
  }

  Dynamic look() const {
    using nvml::ClockType;
    const auto graphics = or_nothing(device_.clock_info(ClockType::graphics));
    const auto sm = or_nothing(device_.clock_info(ClockType::sm));
    const auto mode = device_.mig_mode();
    return {.clock = std::max(graphics, sm),  // of two optionals the one that is there, or the larger one
            .max_clock = or_nothing(device_.max_clock_info(graphics < sm ? ClockType::sm : ClockType::graphics)),
            .memory_clock = or_nothing(device_.clock_info(ClockType::memory)),
            .max_memory_clock = or_nothing(device_.max_clock_info(ClockType::memory)),
            .use = or_nothing(device_.utilization_rates()),
            .encoder = or_nothing(device_.encoder_utilization()),
            .decoder = or_nothing(device_.decoder_utilization()),
            .memory = or_nothing(device_.memory_info()),
            .pcie_generation = or_nothing(device_.current_pcie_link_generation()),
            .pcie_width = or_nothing(device_.current_pcie_link_width()),
            .received = or_nothing(device_.pcie_throughput(nvml::PcieUtilCounter::rx_bytes)),
            .sent = or_nothing(device_.pcie_throughput(nvml::PcieUtilCounter::tx_bytes)),
            .fan = or_nothing(device_.fan_speed()),
            .temperature = or_nothing(device_.temperature(nvml::TemperatureSensor::gpu)),
            .power = or_nothing(device_.power_usage()),
            .limit = or_nothing(device_.enforced_power_limit()),
            .mig = mode && mode->current};
  }

  // In MIG mode nobody knows what a process had of the engines.
  std::vector<Process> processes() {
    std::vector<Process> all;
    const auto add = [&](const nvml::Result<std::vector<nvml::ProcessInfo>>& list, bool graphics) {
      for (const nvml::ProcessInfo& info : or_empty(list))
        all.push_back({.info = info, .graphics = graphics});
    };
    add(device_.running_graphics_processes(), true);
    add(device_.running_compute_processes(), false);
    add(device_.running_mps_compute_processes(), false);
    const auto mode = device_.mig_mode();
    if (!mode || !mode->current) add_use(all);
    return all;
  }

 private:
  // Some drivers tell samples of processes that are gone, of more than 100 %, or from before the time asked for.
  void add_use(std::vector<Process>& all) {
    constexpr nvml::Percent kMost{100};
    const nvml::Timestamp since = seen_;
    for (const auto& sample : or_empty(device_.process_utilization(since))) {
      if (sample.sm > kMost || sample.encoder > kMost || sample.decoder > kMost || sample.timestamp <= since) continue;
      const auto process = std::ranges::find(all, sample.pid, [](const Process& each) { return each.info.pid; });
      if (process == all.end()) continue;
      process->sm = sample.sm;
      process->encoder = sample.encoder;
      process->decoder = sample.decoder;
      seen_ = std::max(seen_, sample.timestamp);
    }
  }

  nvml::Device device_;
  nvml::Timestamp seen_{};
};

}  // namespace nvtop
