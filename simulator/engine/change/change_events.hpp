// SPDX-License-Identifier: Apache-2.0
// Events of a change, and the kernel log lines of its Xids. Tests: tests/unit/changes/faults_test.cpp,
// tests/command/kernel_log_test.cpp.
#pragma once

#include "engine/store/edit.hpp"
#include "engine/topics/kernel_log/kernel_log.hpp"

namespace nvmlab {

// Raises the events that a published change added, except those that the board or the driver does not report. The
// line of an Xid goes to the kernel log before its event: a process that sees the event finds the line.
// `recovery_before` is the recovery action before the change.
void publish_events(Store& store, GpuEdit& draft, std::uint32_t gpu, std::uint32_t recovery_before,
                    const KernelLog& log);

}  // namespace nvmlab
