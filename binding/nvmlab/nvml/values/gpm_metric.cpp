// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/gpm_metric.hpp"

#include "nvmlab/abi/generated/types.hpp"

namespace nvml::abi {

void from_c(const nvmlGpmMetric_t& c, GpmMetric& value) {
  const auto text = [](const char* from) { return from == nullptr ? std::string{} : std::string{from}; };
  value.id = static_cast<GpmMetricId>(c.metricId);
  value.value = c.value;
  if (c.nvmlReturn != NVML_SUCCESS)
    value.value = unexpected(Error{static_cast<Return>(c.nvmlReturn), Origin::driver, "nvmlGpmMetricsGet"}.with_item(
        {"metric", name_of(value.id).empty() ? "" : name_of(value.id).data(), c.metricId, 0}));
  value.short_name = text(c.metricInfo.shortName);
  value.long_name = text(c.metricInfo.longName);
  value.unit = text(c.metricInfo.unit);
}

void to_c(const GpmMetric& value, nvmlGpmMetric_t& c) {
  c = {};
  c.metricId = static_cast<unsigned>(value.id);
}

}  // namespace nvml::abi
