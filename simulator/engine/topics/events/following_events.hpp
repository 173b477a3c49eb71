// SPDX-License-Identifier: Apache-2.0
// Events that follow from a change of a GPU. Tests: tests/unit/changes/faults_test.cpp.
#pragma once

#include "engine/store/edit.hpp"

namespace nvmlab {

// modes.recovery_action; a board without one asks for none.
std::uint32_t recovery_action(const GpuEdit& draft);

// Another recovery action is an event, and an Xid of its own.
void tell_recovery(GpuEdit& draft, std::uint32_t before);

// What a change that is published has told, as far as the board and the driver know of it.
void raise_told(Store& store, GpuEdit& draft, std::uint32_t gpu);

}  // namespace nvmlab
