// SPDX-License-Identifier: Apache-2.0
//
// Events that changes of a GPU raise. A change adds them to the draft (`gpu.raised().add()`); engine/change
// publishes them with the draft. Tests: tests/unit/changes/faults_test.cpp, tests/command/kernel_log_test.cpp.
#pragma once

#include "engine/store/edit.hpp"

namespace nvmlab {

// Returns modes.recovery_action; 0 if the board has none.
std::uint32_t recovery_action(const GpuEdit& draft);

// Adds the event of a changed recovery action, and the Xid that drivers have for it since the 570 branch.
void raise_recovery(const Store& store, GpuEdit& draft, std::uint32_t before);

// Returns the branch of the machine's driver, such as 580.
std::uint32_t driver_branch(const Store& store);

}  // namespace nvmlab
