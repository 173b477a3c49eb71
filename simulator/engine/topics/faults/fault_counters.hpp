// SPDX-License-Identifier: Apache-2.0
// What a fault counts when it happens, of what the board counts. Tests: tests/unit/changes/faults_test.cpp.
#pragma once

#include "engine/store/edit.hpp"
#include "engine/topics/faults/fault_kinds.hpp"

namespace nvmlab {

// At most so many rows can be remapped, and pages of older boards retired; beyond that, it fails.
inline constexpr std::uint32_t kMostRemappedRows = 512;
inline constexpr std::uint32_t kMostRetiredPages = 64;

bool remapping_exhausted(const Ecc& ecc);
bool retirement_exhausted(const Ecc& ecc);

// False where the board counts none of it. `place` is a location of kEccLocations or a link.
bool count_fault(GpuEdit& gpu, std::uint32_t counts, std::uint32_t place, std::uint32_t times);

}  // namespace nvmlab
