// SPDX-License-Identifier: Apache-2.0
//
// Puts work items into the queue of a stream or, while the stream is captured, into its graph. Under the lock of the
// process. Tests: tests/drivers/cuda/streams_test.cpp, capture_test.cpp.
#pragma once

#include "drivers/cuda/streams/stream_objects.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

// Takes the item, even if it fails. `mark` names it in the queue; it stays empty if
// the item was captured or rejected.
CUresult submit(WorkQueue& queue, WorkItem* item, WorkMark* mark);
template <class Payload>
CUresult submit(WorkQueue& queue, const Work& work, const Payload& payload, WorkMark* mark) {
  WorkItem* item = nullptr;
  const CUresult code = make_item(work, payload, &item);
  return code == CUDA_SUCCESS ? submit(queue, item, mark) : code;
}

// Each of these operations on words of memory (stream_words.hpp), for a queue that is not captured.
CUresult submit_operations(WorkQueue& queue, const CUstreamBatchMemOpParams* operations, std::uint32_t count,
                           WorkMark* mark);
// Ends the allocation at this address in its turn.
CUresult submit_free(WorkQueue& queue, std::uint64_t address, WorkMark* mark);

// Records an event behind what a queue has; makes a queue wait for what an event was recorded behind.
CUresult record_event(CUevent handle, WorkQueue& queue, WorkMark* mark);
CUresult wait_for_event(CUevent handle, WorkQueue& queue);

}  // namespace nvmlab::cuda
