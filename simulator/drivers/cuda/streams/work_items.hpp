// SPDX-License-Identifier: Apache-2.0
// Where the items of queues lie: in pages of this library, by three sizes, as it has no allocator. Under the lock of
// the process. Tests: tests/drivers/cuda/streams_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_queue.hpp"

namespace nvmlab::cuda {

struct alignas(16) WorkItem {
  WorkItem* next;
  Work work;
  WorkMark after;
  std::uint64_t serial;  // among all of the process
  std::uint32_t size;    // of the payload
  std::uint32_t size_class;
  bool disabled;  // of an executable graph: a launch leaves it out
};

// Null where there is no memory.
WorkItem* create_item(std::uint32_t payload);
void release_item(WorkItem* item);
// One of no queue, with its payload written; the same as another.
CUresult make_item(const Work& work, std::uint32_t size, CUresult (*write)(void* payload, const void* user),
                   const void* user, WorkItem** out);
WorkItem* copy_item(const WorkItem& from);

inline void* payload_of(WorkItem& item) { return &item + 1; }
inline const void* payload_of(const WorkItem& item) { return &item + 1; }

}  // namespace nvmlab::cuda
