// SPDX-License-Identifier: Apache-2.0
// Where the items of queues lie: in pages of this library, by three sizes, as it has no allocator. Under the lock of
// the process. Tests: tests/drivers/cuda/streams_test.cpp.
#pragma once

#include <cstring>

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
WorkItem* copy_item(const WorkItem& from);

inline void* payload_of(WorkItem& item) { return &item + 1; }
inline const void* payload_of(const WorkItem& item) { return &item + 1; }

// An item of no queue and no graph, whose payload of this size the caller writes. CUDA_ERROR_INVALID_VALUE: it is
// larger than any item.
CUresult make_sized_item(const Work& work, std::uint64_t size, WorkItem** out);
// The same with a copy of `payload`.
template <class Payload>
CUresult make_item(const Work& work, const Payload& payload, WorkItem** out) {
  const CUresult code = make_sized_item(work, sizeof payload, out);
  if (code == CUDA_SUCCESS) std::memcpy(payload_of(**out), &payload, sizeof payload);
  return code;
}

}  // namespace nvmlab::cuda
