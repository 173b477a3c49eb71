// SPDX-License-Identifier: Apache-2.0
//
// Words of memory that a stream waits for or writes, in its order, one by one or several as a node of a graph. Whoever
// else writes them, a kernel or the host, is seen soon after. Under the lock of the process. Tests:
// tests/drivers/cuda/concurrency_test.cpp, graph_words_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

inline constexpr unsigned kMostOperations = 256;

// The payload of a node; its operations lie behind it.
struct NodeOperations {
  CUcontext context;
  std::uint32_t count;
  std::uint32_t flags;
};

CUresult check_operations(const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked);
std::uint32_t bytes_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked);
// The payload of what was checked.
CUresult write_operations(void* payload, const void* asked);
Work operations_work();
// Each operation of such a node into the queue.
CUresult submit_operations(WorkQueue& queue, const WorkItem& node, WorkMark* mark);
CUresult submit_operation(WorkQueue& queue, const CUstreamBatchMemOpParams& asked, WorkMark* mark);
// Whether others may take their place in an executable graph: the same operations on other words, with other values.
bool may_replace(const WorkItem& node, const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked);
CUDA_BATCH_MEM_OP_NODE_PARAMS told_operations(WorkItem& node);

}  // namespace nvmlab::cuda
