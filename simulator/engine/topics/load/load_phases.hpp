// SPDX-License-Identifier: Apache-2.0
//
// What a load makes of a board, worked out once by who publishes a segment: how far its limits and locks let the clocks
// rise, what it draws then, when it becomes too hot, and how it goes to rest when the load ends.
// Tests: tests/unit/load/load_test.cpp.
#pragma once

#include "engine/store/edit.hpp"
#include "engine/topics/load/board_physics.hpp"
#include "engine/topics/load/load_segment.hpp"

namespace nvmlab {

const BoardPhysics& physics_of(const GpuEdit& gpu);

// The default power limit, by which a board's power curve is measured.
std::uint32_t board_limit_mw(const Power& power);

// From Ampere on but for GA100, nvmlDeviceGetPowerUsage tells a one-second average.
bool power_is_averaged(const GpuEdit& gpu);

// Beyond what the memory draws at rest.
std::uint32_t memory_power_mw(const BoardPhysics& board, std::uint32_t limit_mw, std::uint32_t sm_percent,
                              std::uint32_t memory_percent, std::uint32_t intensity_permille);

// The phases of `segment` from its beginning on, of a draft in which everything has settled.
void lay_out_phases(const GpuEdit& gpu, LoadSegment& segment);

}  // namespace nvmlab
