// SPDX-License-Identifier: Apache-2.0
// What the choice of the performance state follows. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/units.hpp"

namespace nvml::abi {
struct nvmlGpuDynamicPstatesInfo_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// Of one part of a GPU: how busy it is, and from where on the state goes up or down.
struct DomainUtilization {
  Percent utilization{};         ///< how busy it is
  Percent increase_threshold{};  ///< the state goes up above it
  Percent decrease_threshold{};  ///< and down below it
  bool operator==(const DomainUtilization&) const = default;
};

/// What the choice of the performance state follows.
/// C: nvmlGpuDynamicPstatesInfo_t
struct GpuDynamicPstatesInfo {
  unsigned flags{};                                           ///< as the driver gives them; no meaning is known
  std::array<std::optional<DomainUtilization>, 8> domains{};  ///< by the number of their UtilizationDomain

  /// Nothing: the board has no such part.
  const std::optional<DomainUtilization>& operator[](UtilizationDomain domain) const {
    return domains.at(static_cast<std::size_t>(domain));
  }
  bool operator==(const GpuDynamicPstatesInfo&) const = default;
};

}  // namespace nvml::inline v1

namespace nvml::abi {
void from_c(const nvmlGpuDynamicPstatesInfo_t& c, GpuDynamicPstatesInfo& value);
void to_c(const GpuDynamicPstatesInfo& value, nvmlGpuDynamicPstatesInfo_t& c);
}  // namespace nvml::abi
