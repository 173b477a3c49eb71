// SPDX-License-Identifier: Apache-2.0
// Bits of LoadPhase::reasons: why a GPU that is loaded has the clocks that it has. Tests: tests/unit/load/.
#pragma once

#include <cstdint>

#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab {

inline constexpr auto kReasonIdle = static_cast<std::uint32_t>(nvml::abi::ClocksEventReasonGpuIdle);
inline constexpr auto kReasonApplication =
    static_cast<std::uint32_t>(nvml::abi::ClocksEventReasonApplicationsClocksSetting);
inline constexpr auto kReasonCapped = static_cast<std::uint32_t>(nvml::abi::ClocksEventReasonSwPowerCap);
inline constexpr auto kReasonHot = static_cast<std::uint32_t>(nvml::abi::ClocksEventReasonSwThermalSlowdown);

}  // namespace nvmlab
