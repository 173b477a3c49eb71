// SPDX-License-Identifier: Apache-2.0
// What follows a change of a GPU that lies outside of the GPU's state, once that is published; see change.hpp.
#pragma once

#include "engine/change/change.hpp"

namespace nvmlab {

// The presence of a GPU. The event that tells of it, or 0.
std::uint64_t follow_presence(Store& store, GpuSlot& slot, const Change& change);

// That there are real processes to be followed.
void follow_processes(Store& store, const Change& change, const GpuEdit& gpu);

// What those are told who wait for events.
void follow_events(Store& store, const Change& change, std::uint64_t presence_event, std::uint64_t now_ns);

}  // namespace nvmlab
