// SPDX-License-Identifier: Apache-2.0
//
// Graphs that can be launched: the work of all nodes, in an order that the edges allow, each item with the number of
// the node that it is from. Under the lock of the process. Tests: tests/drivers/cuda/graphs_test.cpp,
// graph_nodes_test.cpp.
#pragma once

#include "drivers/cuda/graphs/graphs.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

// What two graphs have in common where one may take the place of the other.
struct GraphShape {
  std::uint64_t edges;  // a digest of the edges between nodes, by their places
  std::uint64_t types;  // one of the types of nodes
};

struct ExecutableState {
  WorkItem* first;
  WorkItem* last;
  std::uint64_t flags;
  GraphShape shape;
  std::uint32_t id;
  CUgraph graph;      // that it was made from
  WorkMark launched;  // of its launches, which come one after another
  bool has_conditions;
  bool has_memory;  // it allocates or frees
};

ExecutableState* find_executable(CUgraphExec handle);
// Puts an item behind the others.
void link_item(ExecutableState& to, WorkItem* made);
CUresult create_executable(CUgraph graph, std::uint64_t flags, CUgraphExec* out);
void destroy_executable(CUgraphExec handle);

GraphShape shape_of(CUgraph graph);
// The work of a graph of the same shape takes the place of its own; nothing changes where there is no memory.
CUresult replace_all(ExecutableState& executable, CUgraph graph);
// The place of the item that is from this node; null: there is none.
WorkItem** item_of(ExecutableState& executable, const GraphNodeState& node);
// Another item of the same node.
void replace_item(ExecutableState& executable, WorkItem** place, WorkItem* made);
// The work of a child graph node becomes that of a graph of the same shape; CUDA_ERROR_INVALID_VALUE: it is another.
CUresult replace_child(ExecutableState& executable, CUgraph child, CUgraph graph);

}  // namespace nvmlab::cuda
