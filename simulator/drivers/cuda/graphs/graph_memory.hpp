// SPDX-License-Identifier: Apache-2.0
//
// Nodes that allocate and free memory (graph_allocations.hpp), and what a launch of them takes of the device
// (graph_footprints.hpp). Under the lock of the process. Tests: tests/drivers/cuda/graph_memory_test.cpp.
#pragma once

#include "drivers/cuda/memory/graph_allocations.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

struct ExecutableState;
struct GraphNodeState;

// Payloads of nodes that allocate and free. Descriptions of access lie behind the first.
struct NodeAllocation {
  CUDA_MEM_ALLOC_NODE_PARAMS asked;
  std::uint64_t memory;  // a handle of here
};
struct NodeFree {
  CUdeviceptr address;
  std::uint64_t memory;
};

// Checks a node that is to be added to this graph, and gives an allocation its address.
CUresult plan_allocation(CUgraph graph, CUDA_MEM_ALLOC_NODE_PARAMS* asked, NodeAllocation* out);
CUresult plan_free(CUgraph graph, CUdeviceptr address, NodeFree* out);
// The items of such nodes. `access` may be null if there are no descriptions of access.
CUresult make_allocation_item(const NodeAllocation& planned, const CUmemAccessDesc* access, WorkItem** out);
CUresult make_free_item(const NodeFree& planned, WorkItem** out);
// Of an item that has memory: in a node of this graph, or, where it is null, in an executable one.
void hold_memory(const WorkItem& item, CUgraph node_of);
void let_go_of_memory(const WorkItem& item, CUgraph node_of);
// Of which no node came.
void forget_plan(std::uint64_t memory);

// Before a launch: begins the allocations of an executable graph, and ends those of the launch before where it does so
// by itself (kAutoFree). CUDA_ERROR_INVALID_VALUE: something is not freed, or is freed that is not there.
inline constexpr std::uint64_t kAutoFree = 1;
CUresult begin_allocations(const ExecutableState& executable, WorkQueue& queue, WorkMark* mark);

}  // namespace nvmlab::cuda
