// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/perf_metrics.hpp"

#include "nvmlab/nvml/generated/convert_performance.hpp"

namespace nvml::abi {

void from_c(const nvmlPerfMetricControllerSample_t& c, PerfMetricControllerSample& value) {
  value.type = static_cast<PerfMetricsController>(c.controllerType);
  value.data = std::monostate{};
  if (value.type == PerfMetricsController::dlppc_2x)
    from_c(c.data.dlppc2x, value.data.emplace<PerfMetricsDlppc2xSample>());
  if (value.type == PerfMetricsController::pfpp_1x)
    from_c(c.data.pfpp1x, value.data.emplace<PerfMetricsPfpp1xSample>());
}

void to_c(const PerfMetricControllerSample& value, nvmlPerfMetricControllerSample_t& c) {
  c = {};
  c.controllerType = static_cast<unsigned>(value.type);
  if (const auto* measured = std::get_if<PerfMetricsDlppc2xSample>(&value.data)) to_c(*measured, c.data.dlppc2x);
  if (const auto* estimated = std::get_if<PerfMetricsPfpp1xSample>(&value.data)) to_c(*estimated, c.data.pfpp1x);
}

}  // namespace nvml::abi
