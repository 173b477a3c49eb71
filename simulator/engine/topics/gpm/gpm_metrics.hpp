// SPDX-License-Identifier: Apache-2.0
//
// GPM metrics from two samples of a GPU: shares of time are the mean of both samples; rates are the growth of a counter
// over the time between them. Tests: tests/drivers/functions/gpm_test.cpp, tests/unit/topics/gpm_metrics_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/topics/gpm/gpm_row.hpp"

namespace nvmlab {

// The whole GPU, so that two samples make any metric.
struct GpmSample {
  std::uint64_t taken_ms;
  Gpu gpu;
};

// Hardware refreshes its counters this often; two samples within one refresh are the same sample.
inline constexpr std::uint64_t kGpmRefreshMs = 100;

// Returns whether `after` is of the same refresh as `before`, or of an earlier one.
bool in_one_refresh(const GpmSample& before, const GpmSample& after);

// Reduces the shares of time of a GPU to the processes in one of its instances; links and the bus stay the GPU's.
// `compute_instance`: kNoInstance for the whole GPU instance.
void restrict_to_instance(Gpu& gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance);

struct GpmMetric {
  Code code = kNotSupported;  // kSuccess, or why the board has no value
  double value = 0;
};
GpmMetric make_gpm_metric(const GpmRow& row, const GpmSample& before, const GpmSample& after);

}  // namespace nvmlab
