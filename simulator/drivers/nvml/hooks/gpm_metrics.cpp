// SPDX-License-Identifier: Apache-2.0
//
// Metrics of two samples by NVML's numbers; engine/topics/gpm makes their values. Tests:
// tests/drivers/functions/gpm_test.cpp.
#include "drivers/nvml/generated/gpm_ids.hpp"
#include "drivers/nvml/hooks/gpm.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kRowCount = sizeof kGpmRows / sizeof kGpmRows[0];

const GpmRow* find_row(std::uint32_t id) {
  std::uint32_t low = 0;
  std::uint32_t high = kRowCount;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (kGpmRows[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < kRowCount && kGpmRows[low].id == id ? &kGpmRows[low] : nullptr;
}

// NVML hands names out as char*; nobody may write to them.
char* name_for_c(const char* name) { return const_cast<char*>(name); }

}  // namespace

void give_gpm_metric(const GpmSample& before, const GpmSample& after, nvmlGpmMetric_t& metric) {
  metric.value = 0;
  metric.metricInfo = {};
  const GpmRow* row = find_row(metric.metricId);
  if (row == nullptr || metric.metricId >= simulated_driver().gpm_metric_max) {
    metric.nvmlReturn = NVML_ERROR_INVALID_ARGUMENT;
    return;
  }
  metric.metricInfo = {name_for_c(row->name), name_for_c(row->name), name_for_c(row->unit)};
  // The order of samples matters, and both from one refresh say nothing.
  if (in_one_refresh(before, after)) {
    metric.nvmlReturn = NVML_ERROR_INVALID_ARGUMENT;
    return;
  }
  const GpmMetric made = make_gpm_metric(*row, before, after);
  metric.nvmlReturn = code_of(made.code);
  metric.value = made.value;
}

}  // namespace nvmlab::driver
