// SPDX-License-Identifier: Apache-2.0
// What one controller of clocks and power measured. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <variant>

#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/generated/values_performance.hpp"

namespace nvml::abi {
struct nvmlPerfMetricControllerSample_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// What one controller of clocks and power measured.
/// C: nvmlPerfMetricControllerSample_t
struct PerfMetricControllerSample {
  PerfMetricsController type{};  ///< which controller
  std::variant<std::monostate, PerfMetricsDlppc2xSample, PerfMetricsPfpp1xSample>
      data{};  ///< none of a type unknown here
  bool operator==(const PerfMetricControllerSample&) const = default;
};

}  // namespace nvml::inline v1

namespace nvml::abi {
void from_c(const nvmlPerfMetricControllerSample_t& c, PerfMetricControllerSample& value);
void to_c(const PerfMetricControllerSample& value, nvmlPerfMetricControllerSample_t& c);
}  // namespace nvml::abi
