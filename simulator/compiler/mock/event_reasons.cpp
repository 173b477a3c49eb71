// SPDX-License-Identifier: Apache-2.0
//
// What holds the clocks back, by the names of a Go mock configuration. Tests: mock_config_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/mock/device.hpp"
#include "compiler/mock/scalars.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab::compiler {
namespace {

struct EventReason {
  const char* name;
  std::uint64_t bit;
};

constexpr EventReason kReasons[] = {
    {"gpu_idle", nvml::abi::ClocksEventReasonGpuIdle},
    {"applications_clocks_setting", nvml::abi::ClocksEventReasonApplicationsClocksSetting},
    {"sw_power_cap", nvml::abi::ClocksEventReasonSwPowerCap},
    {"hw_slowdown", nvml::abi::ClocksThrottleReasonHwSlowdown},
    {"sync_boost", nvml::abi::ClocksEventReasonSyncBoost},
    {"sw_thermal_slowdown", nvml::abi::ClocksEventReasonSwThermalSlowdown},
    {"hw_thermal_slowdown", nvml::abi::ClocksThrottleReasonHwThermalSlowdown},
    {"hw_power_brake_slowdown", nvml::abi::ClocksThrottleReasonHwPowerBrakeSlowdown},
    {"display_clocks_setting", nvml::abi::ClocksEventReasonDisplayClockSetting},
};
constexpr std::uint64_t kAllReasons = [] {
  std::uint64_t all = 0;
  for (const EventReason& reason : kReasons)
    all |= reason.bit;
  return all;
}();

}  // namespace

void MockDevice::throttle(const yaml::Node& node, const std::string& name) {
  const auto* reason =
      std::ranges::find_if(kReasons, [&](const EventReason& candidate) { return name == candidate.name; });
  if (reason == std::end(kReasons)) {
    return note(node, fmt::format("'clocks_throttle_reasons.{}' is unknown to nvmlab and left out", name));
  }
  Clocks& clocks = gpu_.state->clocks;
  const std::uint64_t others = clocks.event_reasons.value_or(0) & ~reason->bit;
  const bool active = mock_truth(node, "clocks_throttle_reasons." + name, problems_);
  clocks.event_reasons.set(active ? others | reason->bit : others);
  clocks.event_reasons_supported.set(kAllReasons);
  for (const char* field : {"clocks.event_reasons", "clocks.event_reasons_supported"}) {
    gpu_.marks[leaf_of(*find_field(field))] = {&mock_source(), &node.place};
  }
}

}  // namespace nvmlab::compiler
