// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {

// What nvmlGpmSampleGet keeps: the whole GPU, so that any metric can be made of two.
struct GpmSample {
  std::uint64_t device;  // its handle, with the MIG instance above it; 0 before the first sample
  std::uint64_t taken_ms;
  Gpu gpu;
};

// Hardware refreshes its counters this often; two samples within one refresh are the same sample.
inline constexpr std::uint64_t kGpmRefreshMs = 100;

// Fills in code, value and name of the metric that `metric` names.
void make_gpm_metric(const GpmSample& before, const GpmSample& after, nvmlGpmMetric_t& metric);

}  // namespace nvmlab::driver
