// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/gpm_metric.hpp"

#include "nvmlab/abi/generated/types.hpp"

namespace nvml::inline v1::detail {

// Names of enumerators are texts of the program, with a NUL behind them.
FailedItem item_of(GpmMetricId id) noexcept {
  const std::string_view name = name_of(id);
  return {"metric", name.empty() ? "" : name.data(), static_cast<unsigned>(id), 0};
}

}  // namespace nvml::inline v1::detail

namespace nvml::abi {

void from_c(const nvmlGpmMetric_t& c, GpmMetric& value) {
  const auto text = [](const char* from) { return from == nullptr ? std::string{} : std::string{from}; };
  value.id = static_cast<GpmMetricId>(c.metricId);
  value.value = c.value;
  if (c.nvmlReturn != NVML_SUCCESS)
    value.value = unexpected(Error{static_cast<Return>(c.nvmlReturn), Origin::driver, "nvmlGpmMetricsGet"}.with_item(
        nvml::detail::item_of(value.id)));
  value.short_name = text(c.metricInfo.shortName);
  value.long_name = text(c.metricInfo.longName);
  value.unit = text(c.metricInfo.unit);
}

void to_c(const GpmMetric& value, nvmlGpmMetric_t& c) {
  c = {};
  c.metricId = static_cast<unsigned>(value.id);
}

}  // namespace nvml::abi
