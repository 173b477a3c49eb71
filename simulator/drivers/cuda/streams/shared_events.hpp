// SPDX-License-Identifier: Apache-2.0
//
// Events that several processes record and wait for. They share a page: each record takes the next number and says
// whose it is, and is marked there when its stream has come to it. What a process that has ended recorded is done, as
// its work is gone. Under the lock of the process. Tests: tests/drivers/cuda/ipc_events_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

CUresult create_shared_event(std::uint32_t device, std::uint64_t* out);
// From the descriptor of another process, which is closed where it fails.
CUresult open_shared_event(int file, std::uint64_t* out);
int file_of_shared_event(std::uint64_t event);
// Of an event, or of work that uses it; the last takes it along.
void release_shared_event(std::uint64_t event);

// A record, until it is marked as done; 0: there is none.
using SharedRecord = std::uint64_t;
SharedRecord begin_shared_record(std::uint64_t event);
void end_shared_record(std::uint64_t event, SharedRecord record);
SharedRecord last_shared_record(std::uint64_t event);
bool is_done(std::uint64_t event, SharedRecord record);

// An item that waits for the last record. When it is in a queue, it is a user of the event: hold_shared_event().
CUresult make_shared_wait(std::uint64_t event, WorkItem** out);
void hold_shared_event(std::uint64_t event);

}  // namespace nvmlab::cuda
