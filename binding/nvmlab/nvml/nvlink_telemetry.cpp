// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/nvlink_telemetry.hpp"

#include <algorithm>

#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {
namespace {

constexpr auto kTelemetrySlot = &Functions::nvmlDeviceGetNvLinkTelemetrySamples_v1;

}  // namespace

Result<std::vector<Result<std::vector<std::uint64_t>>>> nvlink_telemetry(const State& state, abi::nvmlDevice_t device,
                                                                         std::span<const NvlinkCounter> counters) {
  std::vector<abi::nvmlNvlinkTelemetrySample_v1_t> slots;
  for (const NvlinkCounter& counter : counters)
    slots.push_back({counter.link, as<unsigned>(counter.type), 0, nullptr, abi::NVML_SUCCESS});
  abi::nvmlNvlinkTelemetrySamples_v1_t request{static_cast<unsigned>(slots.size()), slots.data()};
  // Without room the function tells how many there can be.
  if (const auto told = ask(state, kTelemetrySlot, device, &request); !told) return unexpected(told.error());

  std::vector<std::vector<unsigned long long>> rooms(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    rooms[i].resize(slots[i].nvmlReturn == abi::NVML_SUCCESS ? slots[i].sampleCount : 0);
    slots[i].sampleCount = static_cast<unsigned>(rooms[i].size());
    slots[i].samples = rooms[i].empty() ? nullptr : rooms[i].data();
  }
  if (const auto given = ask(state, kTelemetrySlot, device, &request); !given) return unexpected(given.error());

  std::vector<Result<std::vector<std::uint64_t>>> answers;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].nvmlReturn != abi::NVML_SUCCESS) {
      answers.emplace_back(unexpected(failure(state, slot_offset(kTelemetrySlot), slots[i].nvmlReturn)));
      continue;
    }
    const std::size_t count = std::min<std::size_t>(slots[i].sampleCount, rooms[i].size());
    answers.emplace_back(std::vector<std::uint64_t>(rooms[i].begin(), rooms[i].begin() + static_cast<long>(count)));
  }
  return answers;
}

}  // namespace nvml::inline v1::detail
