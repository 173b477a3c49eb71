// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drivers/nvml/hooks/fetch.hpp"
#include "engine/topics/gpm/gpm_metrics.hpp"

namespace nvmlab::driver {

// Fills in code, value and name of the metric that `metric` names.
void give_gpm_metric(const GpmSample& before, const GpmSample& after, nvmlGpmMetric_t& metric);

}  // namespace nvmlab::driver
