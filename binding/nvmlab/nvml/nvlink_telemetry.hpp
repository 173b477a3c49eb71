// SPDX-License-Identifier: Apache-2.0
// The recent past of counters of NVLink. Covered by tests/binding/nvlink_telemetry_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/generated/enums.hpp"

namespace nvml::inline v1 {

/// A counter of one link.
struct NvlinkCounter {
  unsigned link{};                   ///< its number, from 0
  NvlinkTelemetrySampleType type{};  ///< what is counted
  bool operator==(const NvlinkCounter&) const = default;
};

namespace detail {

// For each counter its samples, or why there are none; in their order.

// C: nvmlDeviceGetNvLinkTelemetrySamples_v1
Result<std::vector<Result<std::vector<std::uint64_t>>>> nvlink_telemetry(const State& state, abi::nvmlDevice_t device,
                                                                         std::span<const NvlinkCounter> counters);

}  // namespace detail

}  // namespace nvml::inline v1
