// SPDX-License-Identifier: Apache-2.0
// The health of a GPU's links to its fabric: answers of two and four bits in one number. Nothing: the board or its
// driver does not know. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <optional>

#include "nvmlab/abi/generated/constants.hpp"
#include "nvmlab/nvml/generated/enums.hpp"

namespace nvml::inline v1 {

/// The health of a GPU's links to its fabric. Nothing: the board or its driver does not know.
/// C: the member healthMask of nvmlGpuFabricInfo_v2_t and newer
class FabricHealth {
 public:
  using number = unsigned;  ///< that C has it in

  constexpr FabricHealth() = default;
  constexpr explicit FabricHealth(number raw) noexcept : raw_(raw) {}  ///< as C has it
  constexpr number raw() const noexcept { return raw_; }               ///< as C has it

  /// Whether the bandwidth is less than it should be.
  constexpr std::optional<bool> degraded_bandwidth() const noexcept {
    return answer(abi::GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW);
  }
  /// Whether routes are being recovered.
  constexpr std::optional<bool> route_recovery() const noexcept {
    return answer(abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ROUTE_RECOVERY);
  }
  /// Whether a route is unhealthy.
  constexpr std::optional<bool> route_unhealthy() const noexcept {
    return answer(abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ROUTE_UNHEALTHY);
  }
  /// Whether the GPU recovers from an access that took too long.
  constexpr std::optional<bool> access_timeout_recovery() const noexcept {
    return answer(abi::GPU_FABRIC_HEALTH_MASK_SHIFT_ACCESS_TIMEOUT_RECOVERY);
  }
  /// Whether the GPU has been given a partition.
  constexpr std::optional<bool> partition_assigned() const noexcept {
    return answer(abi::GPU_FABRIC_HEALTH_MASK_SHIFT_PARTITION_ASSIGNED);
  }
  /// Whether the fabric manager is connected.
  constexpr std::optional<bool> manager_connected() const noexcept {
    return answer(abi::GPU_FABRIC_HEALTH_MASK_SHIFT_GFM_STATE);
  }
  /// What is configured wrongly, if anything is.
  constexpr FabricMisconfiguration misconfiguration() const noexcept {
    return static_cast<FabricMisconfiguration>(
        bits(abi::GPU_FABRIC_HEALTH_MASK_SHIFT_INCORRECT_CONFIGURATION,
             static_cast<unsigned>(abi::GPU_FABRIC_HEALTH_MASK_WIDTH_INCORRECT_CONFIGURATION)));
  }

  friend constexpr bool operator==(FabricHealth, FabricHealth) = default;

 private:
  constexpr unsigned bits(int shift, unsigned mask) const noexcept {
    return raw_ >> static_cast<unsigned>(shift) & mask;
  }

  // 1 is yes and 2 is no, in each of them.
  constexpr std::optional<bool> answer(int shift) const noexcept {
    const unsigned found = bits(shift, 3);
    if (found != 1 && found != 2) return std::nullopt;
    return found == 1;
  }

  number raw_ = 0;
};

}  // namespace nvml::inline v1
