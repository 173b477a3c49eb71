// SPDX-License-Identifier: Apache-2.0
//
// Memory that graphs allocate: the address is fixed when a node is added, and belongs to the node and to the executable
// graphs that are made from it; a launch begins the allocation there (graphs/graph_memory.hpp). Nodes and captured work
// may use an address before. Under the lock of the process. Tests: tests/drivers/cuda/graph_memory_test.cpp.
#pragma once

#include "drivers/cuda/memory/allocations.hpp"

namespace nvmlab::cuda {

struct GraphAllocation {
  Allocation of;  // as it will be in the table
  CUgraph graph;  // that allocates it
  std::uint32_t holders;
  std::uint64_t footprint;  // that has its bytes, or had them
  bool kept;                // out of it, until it is freed
  bool counted;             // while the need of a launch is summed up
  bool freed_by_owner;
  bool freed_by_another;
};

extern Pool<GraphAllocation, ObjectKind::graph_memory> graph_allocations;

// The allocation that is at this address now; null: there is none.
Allocation* find_live(const GraphAllocation& memory);
// Unmaps what no node, executable graph or live allocation has.
void drop_unused(std::uint64_t handle);
// Called when the allocation ends; its pages stay for the next launch.
void end_graph_allocation(std::uint64_t handle);

// While one of these lives, what launches will allocate is found as any other memory.
class PlannedMemory {
 public:
  explicit PlannedMemory(bool counts);
  ~PlannedMemory();
  PlannedMemory(const PlannedMemory&) = delete;
  PlannedMemory& operator=(const PlannedMemory&) = delete;

 private:
  bool before_;
};
// The allocation that a launch will begin at this address; null: there is none, or it does not count now.
const Allocation* find_planned(std::uint64_t address);

}  // namespace nvmlab::cuda
