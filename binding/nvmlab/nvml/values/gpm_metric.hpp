// SPDX-License-Identifier: Apache-2.0
// One metric of two GPM samples, with an answer of its own. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <string>

#include "nvmlab/loader/error.hpp"
#include "nvmlab/nvml/generated/gpm_metric_id.hpp"

namespace nvml {

namespace abi {
struct nvmlGpmMetric_t;
}

/// One metric of two GPM samples, with an answer of its own.
/// C: nvmlGpmMetric_t
struct GpmMetric {
  GpmMetricId id{};
  Result<double> value{};
  std::string short_name{};  ///< the names and the unit are the driver's words
  std::string long_name{};
  std::string unit{};
  bool operator==(const GpmMetric&) const = default;
};

namespace abi {
void from_c(const nvmlGpmMetric_t& c, GpmMetric& value);

// The id alone, which is what a request has in it.
void to_c(const GpmMetric& value, nvmlGpmMetric_t& c);
}  // namespace abi

}  // namespace nvml
