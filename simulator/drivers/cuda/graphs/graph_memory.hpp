// SPDX-License-Identifier: Apache-2.0
//
// Memory that graphs allocate: its address is a node's from the beginning, and belongs to it and to the executable
// graphs that have it; a launch begins the allocation there, of what it takes of the device (graph_footprints.hpp).
// What a launch will have may be named by nodes and captured work before. Under the lock of the process. Tests:
// tests/drivers/cuda/graph_memory_test.cpp.
#pragma once

#include "drivers/cuda/graphs/graph_footprints.hpp"
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

// While one of these lives, what launches will allocate is memory as any other.
class PlannedMemory {
 public:
  explicit PlannedMemory(bool counts);
  ~PlannedMemory();
  PlannedMemory(const PlannedMemory&) = delete;
  PlannedMemory& operator=(const PlannedMemory&) = delete;

 private:
  bool before_;
};
struct Allocation;
// The one that would hold this address; null: none, or it does not count now.
const Allocation* find_planned(std::uint64_t address);

// Of a node that is to be added to this graph: checked, and as the work of an item.
CUresult plan_allocation(CUgraph graph, CUDA_MEM_ALLOC_NODE_PARAMS* asked, NodeAllocation* out);
CUresult plan_free(CUgraph graph, CUdeviceptr address, NodeFree* out);
Work node_allocation_work();
Work node_free_work();
// Of an item that has memory: in a node of this graph, or, where it is null, in an executable one.
void hold_memory(const WorkItem& item, CUgraph node_of);
void let_go_of_memory(const WorkItem& item, CUgraph node_of);
// Of which no node came.
void forget_plan(std::uint64_t memory);
// An allocation of memory that a graph has is over; its pages stay there.
void end_graph_allocation(std::uint64_t memory);

// Before a launch: begins the allocations of an executable graph, and ends those of the launch before where it does so
// by itself (kAutoFree). CUDA_ERROR_INVALID_VALUE: something is not freed, or is freed that is not there.
inline constexpr std::uint64_t kAutoFree = 1;
CUresult begin_allocations(const ExecutableState& executable, WorkQueue& queue, WorkMark* mark);
// Work that ends the allocation at this address in its turn.
CUresult submit_free(WorkQueue& queue, std::uint64_t address, WorkMark* mark);

}  // namespace nvmlab::cuda
