// SPDX-License-Identifier: Apache-2.0
// Consequences of a published change of a GPU outside of the GPU's state; see change.hpp.
#pragma once

#include "engine/change/change.hpp"

namespace nvmlab {

// Removes the GPU or returns it, and raises the machine's event.
void follow_presence(Store& store, GpuSlot& slot, const Change& change, GpuEdit& gpu);

// Notes that the machine has processes whose end must be noticed.
void follow_processes(Store& store, const Change& change, const GpuEdit& gpu);

}  // namespace nvmlab
