// SPDX-License-Identifier: Apache-2.0
//
// Event sets belong to the process: each keeps the number of the machine's next event that is new to it and what it was
// registered for. A wait sleeps on the ring's word in the store, so it costs nothing and wakes with every process.
// Threads that wait on one set share its events: each event goes to one of them.
// Tests: tests/drivers/functions/events_test.cpp, event_delivery_test.cpp.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

// Of both kinds; a handle of one is none of the other.
nvmlReturn_t make_event_set(Store& node, nvmlEventSet_t* set);
nvmlReturn_t make_event_set(Store& node, nvmlSystemEventSet_t* set);
nvmlReturn_t free_event_set(nvmlEventSet_t set);
nvmlReturn_t free_event_set(nvmlSystemEventSet_t set);
bool known(nvmlEventSet_t set);
bool known(nvmlSystemEventSet_t set);

// From now on the set gets these types of the GPU, with those that it gets already.
nvmlReturn_t register_events(const Store& node, nvmlEventSet_t set, std::uint32_t gpu, std::uint64_t types);
nvmlReturn_t register_events(const Store& node, nvmlSystemEventSet_t set, std::uint64_t types);

// Sleeps until there is an event for the set: SUCCESS and the event, TIMEOUT, or GPU_IS_LOST where a GPU of the set or
// the machine went away and no event is left.
nvmlReturn_t wait_for_event(const Store& node, nvmlEventSet_t set, std::uint32_t timeout_ms, Event* event);
nvmlReturn_t wait_for_event(const Store& node, nvmlSystemEventSet_t set, std::uint32_t timeout_ms, Event* event);

// The next one without sleeping; false where there is none.
bool next_event_of(const Store& node, nvmlSystemEventSet_t set, Event* event);

}  // namespace nvmlab::driver
