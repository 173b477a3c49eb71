// SPDX-License-Identifier: Apache-2.0
//
// What a change is answered with: the return codes of NVML that the engine gives, under its own names, because it knows
// no header of NVML's. drivers/nvml/shapes/write.cpp asserts that they are the same.
#pragma once

#include <cstdint>

#include "engine/state/fact.hpp"

namespace nvmlab {

using Code = std::uint32_t;

inline constexpr Code kInvalidArgument = 2;
inline constexpr Code kNoPermission = 4;
inline constexpr Code kNotFound = 6;
inline constexpr Code kDriverNotLoaded = 9;
inline constexpr Code kTimeout = 10;
inline constexpr Code kGpuIsLost = 15;
inline constexpr Code kResetRequired = 16;
inline constexpr Code kOperatingSystem = 17;
inline constexpr Code kInUse = 19;
inline constexpr Code kMemory = 20;
inline constexpr Code kInsufficientResources = 23;
inline constexpr Code kInvalidState = 29;

}  // namespace nvmlab
