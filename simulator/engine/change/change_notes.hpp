// SPDX-License-Identifier: Apache-2.0
// What apply() leaves in the log. Tests: tests/drivers/functions/change_log_test.cpp,
// tests/unit/control/restore_test.cpp.
#pragma once

#include "engine/change/change.hpp"

namespace nvmlab {

// Returns true for the first of the changes that restore one target from a snapshot.
constexpr bool restores(const Change& change) { return holds<RestoreSnapshot>(change); }

// Once what was asked for is published, or refused: then of all the changes only the one that was refused. Under the
// WriteLock.
void note_changes(Store& store, const Change* changes, std::uint32_t count, std::uint32_t failed, Code code);

}  // namespace nvmlab
