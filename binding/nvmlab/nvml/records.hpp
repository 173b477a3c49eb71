// SPDX-License-Identifier: Apache-2.0
// What is asked for piece by piece: registers and counters of NVLink ports, error records of the platform, metrics of
// GPM samples, limits of control groups. Covered by tests/binding/records_test.cpp and memory_limits_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/forward.hpp"
#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/generated/values_memory.hpp"
#include "nvmlab/nvml/generated/values_system.hpp"
#include "nvmlab/nvml/value.hpp"
#include "nvmlab/nvml/values/gpm_metric.hpp"
#include "nvmlab/nvml/values/prm_tlv.hpp"

namespace nvml::inline v1 {

/// A counter of one port.
struct PrmCounter {
  PrmCounterId id{};  ///< what is counted
  unsigned port{};    ///< its number, as the driver counts them
  bool operator==(const PrmCounter&) const = default;
};

namespace detail {

// Of several they give an answer for each, in their order.

// C: nvmlDeviceReadPRMCounters_v1
Result<std::vector<Result<Value>>> read_prm_counters(const State& state, abi::nvmlDevice_t device,
                                                     std::span<const PrmCounter> counters);

// C: nvmlDeviceReadWritePRM_v1
Result<PrmTlv> read_write_prm(const State& state, abi::nvmlDevice_t device, const PrmTlv& access);

// C: nvmlDeviceSetMemoryLimits_v1. No hard limit, a soft one of zero: the control group is without limits again.
Result<void> set_memory_limits(const State& state, abi::nvmlDevice_t device, const std::string& control_group,
                               const MemoryLimits& limits);

// The record at which the cursor stands, which then stands behind it.

// C: nvmlSystemGetCPER_v1. Empty: there are no more for now.
Result<std::vector<std::uint8_t>> next_cper(const State& state, CperCursor& cursor);

// C: nvmlGpmMetricsGet
Result<std::vector<GpmMetric>> gpm_metrics(const State& state, const GpmSample& first, const GpmSample& second,
                                           std::span<const GpmMetricId> metrics);

// Without texts: an answer for each, the call's own error where there is one.
void read_metrics(const State& state, const GpmSample& first, const GpmSample& second,
                  std::span<const GpmMetricId> metrics, std::span<Result<double>> values);

// C: nvmlSystemGetDriverBranch
Result<std::string> driver_branch(const State& state);

}  // namespace detail

}  // namespace nvml::inline v1
