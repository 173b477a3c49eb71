// SPDX-License-Identifier: Apache-2.0
// What is asked for piece by piece: registers and counters of NVLink ports, error records of the platform, metrics of
// GPM samples, limits of control groups. Covered by tests/binding/records_test.cpp and memory_limits_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/generated/values_memory.hpp"
#include "nvmlab/nvml/generated/values_system.hpp"
#include "nvmlab/nvml/value.hpp"
#include "nvmlab/nvml/values/gpm_metric.hpp"
#include "nvmlab/nvml/values/prm_tlv.hpp"

namespace nvml {

// A counter of one port.
struct PrmCounter {
  PrmCounterId id{};
  unsigned port{};
  bool operator==(const PrmCounter&) const = default;
};

namespace detail {

// An answer for each, in their order.
Result<std::vector<Result<Value>>> read_prm_counters(const State& state, abi::nvmlDevice_t device,
                                                     std::span<const PrmCounter> counters);

Result<PrmTlv> read_write_prm(const State& state, abi::nvmlDevice_t device, const PrmTlv& access);

Result<void> set_memory_limits(const State& state, abi::nvmlDevice_t device, const std::string& control_group,
                               const MemoryLimits& limits);

// The record at which the cursor stands, which then stands behind it. No bytes: there is none.
Result<std::vector<std::uint8_t>> next_cper(const State& state, CperCursor& cursor);

// An answer for each, in their order.
Result<std::vector<GpmMetric>> gpm_metrics(const State& state, abi::nvmlGpmSample_t first, abi::nvmlGpmSample_t second,
                                           std::span<const GpmMetricId> metrics);

}  // namespace detail

}  // namespace nvml
