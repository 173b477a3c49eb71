// SPDX-License-Identifier: Apache-2.0
// One metric of two GPM samples, with an answer of its own. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "nvmlab/loader/error.hpp"
#include "nvmlab/nvml/generated/gpm_metric_id.hpp"
#include "nvmlab/nvml/generated/gpm_types.hpp"

namespace nvml::abi {
struct nvmlGpmMetric_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// One metric of two GPM samples, with an answer of its own.
/// C: nvmlGpmMetric_t
struct GpmMetric {
  GpmMetricId id{};          ///< which metric
  Result<double> value{};    ///< in the unit, or why there is none
  std::string short_name{};  ///< the names and the unit are the driver's words
  std::string long_name{};   ///< in the driver's words
  std::string unit{};        ///< "%", "MiB/s"; "" where it has none
  bool operator==(const GpmMetric&) const = default;
};

namespace detail {
constexpr GpmKind kind_of(GpmMetricId id) noexcept {
  return static_cast<unsigned>(id) < std::size(GpmKinds::by_id) ? GpmKinds::by_id[static_cast<unsigned>(id)]
                                                                : GpmKind::none;
}

// For an error of this metric alone.
FailedItem item_of(GpmMetricId id) noexcept;
}  // namespace detail

/// What a metric is: Quantity<unit::percent, double> of GpmMetricId::sm_util. double where nobody names a unit.
template <GpmMetricId id>
using GpmType = typename detail::IdType<detail::kind_of(id)>::type;

/// "%", "MiB/s"; "" for what has no unit.
std::string_view unit_of(GpmMetricId id) noexcept;

/// Several metrics of two samples, each with its type and an answer of its own. Made by Library::gpm().
template <GpmMetricId... ids>
class GpmMetrics {
 public:
  /// What came of the call, in the order of the ids.
  explicit GpmMetrics(std::array<Result<double>, sizeof...(ids)> values) : values_(std::move(values)) {}

  /// One of them.
  template <GpmMetricId id>
  [[nodiscard]] Result<GpmType<id>> get() const {
    static_assert(((id == ids) || ...), "this metric was not asked for");
    std::size_t at = 0;
    static_cast<void>(((ids == id || (static_cast<void>(++at), false)) || ...));
    if (!values_[at]) return unexpected(values_[at].error());
    return GpmType<id>{*values_[at]};
  }

 private:
  std::array<Result<double>, sizeof...(ids)> values_;
};

}  // namespace nvml::inline v1

namespace nvml::abi {
void from_c(const nvmlGpmMetric_t& c, GpmMetric& value);

// The id alone, which is what a request has in it.
void to_c(const GpmMetric& value, nvmlGpmMetric_t& c);
}  // namespace nvml::abi
