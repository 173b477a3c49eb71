// SPDX-License-Identifier: Apache-2.0
//
// Events that changes of a GPU raise. A change adds them to the draft (`gpu.raised().add()`); they are published with
// it. Tests: tests/unit/changes/faults_test.cpp, tests/command/kernel_log_test.cpp.
#pragma once

#include "engine/store/edit.hpp"
#include "engine/topics/events/kernel_log.hpp"

namespace nvmlab {

// Returns modes.recovery_action; 0 where the board has none.
std::uint32_t recovery_action(const GpuEdit& draft);

// Adds the event of a changed recovery action, and the Xid that drivers have for it since the 570 branch.
void raise_recovery(const Store& store, GpuEdit& draft, std::uint32_t before);

// Raises the events of a published draft that the board and the driver report, in their order. The line of an Xid goes
// to the kernel log before its event: whoever sees the event finds the line. `recovery_before` is the recovery action
// before the change.
void publish_events(Store& store, GpuEdit& draft, std::uint32_t gpu, std::uint32_t recovery_before,
                    const KernelLog& log);

}  // namespace nvmlab
