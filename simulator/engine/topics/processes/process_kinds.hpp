// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nvmlab {

// Bits of processes.running[].kinds.
inline constexpr std::uint32_t kComputeProcess = 1;
inline constexpr std::uint32_t kGraphicsProcess = 2;
inline constexpr std::uint32_t kMpsProcess = 4;

}  // namespace nvmlab
