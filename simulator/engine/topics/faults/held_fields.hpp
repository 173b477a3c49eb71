// SPDX-License-Identifier: Apache-2.0
//
// What faults hold in the state. Before a change, what lies beneath is brought back, so that the change finds and moves
// the GPU as it would be without a fault; behind it the faults are imposed again, over pins. So a fault that is healed
// leaves what was set meanwhile. Tests: tests/unit/changes/faults_test.cpp.
#pragma once

#include "engine/store/edit.hpp"
#include "engine/topics/faults/fault_kinds.hpp"

namespace nvmlab {

void lift_faults(GpuEdit& gpu);

// False where there is no more room to keep what lies beneath.
bool impose_faults(GpuEdit& gpu);

// What of a fault that is not among the active ones yet the board has the fields for: bits of Held.
std::uint32_t shown(GpuEdit& gpu, const ActiveFault& fault);

}  // namespace nvmlab
