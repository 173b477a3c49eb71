// SPDX-License-Identifier: Apache-2.0
//
// Words of memory that a stream waits for or writes, in its order, one by one or several as a node of a graph. Whoever
// else writes them, a kernel or the host, is seen soon after. Under the lock of the process. Tests:
// tests/drivers/cuda/concurrency_test.cpp, graph_words_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

// CU_STREAM_MEM_OP_...
inline constexpr unsigned kWait32 = 1;
inline constexpr unsigned kWrite32 = 2;
inline constexpr unsigned kFlushWrites = 3;
inline constexpr unsigned kWait64 = 4;
inline constexpr unsigned kWrite64 = 5;
inline constexpr unsigned kBarrier = 6;

inline constexpr unsigned kMostOperations = 256;

// The payload of a node; its operations lie behind it.
struct NodeOperations {
  CUcontext context;
  std::uint32_t count;
  std::uint32_t flags;
};

inline const CUstreamBatchMemOpParams* operations_in(const WorkItem& node) {
  const auto* const begin = static_cast<const NodeOperations*>(payload_of(node));
  return reinterpret_cast<const CUstreamBatchMemOpParams*>(begin + 1);
}

CUresult check_operations(const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked);
// Makes one item for a node of operations that were checked; a launch of the node queues an item for each of them.
CUresult make_operations(const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked, WorkItem** out);
// Makes the item of one operation; null if there is nothing to do.
CUresult make_operation(const CUstreamBatchMemOpParams& asked, WorkItem** out);
// Whether others may take their place in an executable graph: the same operations on other words, with other values.
bool may_replace(const WorkItem& node, const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked);
CUDA_BATCH_MEM_OP_NODE_PARAMS told_operations(WorkItem& node);

}  // namespace nvmlab::cuda
