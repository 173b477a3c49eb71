// SPDX-License-Identifier: Apache-2.0
// What apply() leaves in the log. Tests: tests/drivers/functions/change_log_test.cpp,
// tests/unit/control/restore_test.cpp.
#pragma once

#include "engine/change/change.hpp"

namespace nvmlab {

// Whether a snapshot comes back, of whose changes for one target this is the first.
constexpr bool restores(const Change& change) {
  return change.kind ==
         (change.gpu == kWholeNode ? kind_in<RestoreSnapshot>(NodeChanges{}) : kind_in<RestoreSnapshot>(GpuChanges{}));
}

// Once what was asked for is published, or refused: then of all the changes only the one that was refused. Under the
// WriteLock.
void note_changes(Store& store, const Change* changes, std::uint32_t count, std::uint32_t failed, Code code);

}  // namespace nvmlab
