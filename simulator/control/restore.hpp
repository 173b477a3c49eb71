// SPDX-License-Identifier: Apache-2.0
//
// A machine that is up goes back to a snapshot, through apply() like every change: what differs, and no more. All
// changes go in one batch, so a GPU changes at once, and either all of them agree or nothing is changed. The clock is
// left alone, because it never goes backwards. Tests: tests/unit/control/restore_test.cpp,
// tests/command/snapshot_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "control/snapshot.hpp"
#include "engine/change/change.hpp"

namespace nvmlab::control {

// What makes `now` what it was in `wanted`, a snapshot of a machine of as many GPUs. Empty where nothing differs.
std::vector<Change> changes_back(const Snapshot& now, const Snapshot& wanted);

// Why a snapshot cannot be held against this machine: it has another number of GPUs. Empty where it can.
std::string misfit(const Snapshot& snapshot, const Store& store);

// How many GPUs changed. Refuses a snapshot of another profile too: programs on the machine have chosen their functions
// by its driver, and `nvmlab ls` tells its profile.
std::expected<std::uint32_t, std::string> restore(Store& store, StoreFile& file, const Snapshot& wanted);

}  // namespace nvmlab::control
