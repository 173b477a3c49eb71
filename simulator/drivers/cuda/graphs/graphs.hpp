// SPDX-License-Identifier: Apache-2.0
//
// Graphs: nodes, each with the work of one item (work_queue.hpp), and edges between them. An executable graph is the
// work of all nodes in an order that its edges allow; a launch puts it into the queue of a stream. Under the lock of
// the process. Tests: tests/drivers/cuda/graphs_test.cpp, capture_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_queue.hpp"

namespace nvmlab::cuda {

struct GraphNodeState {
  CUgraph graph;
  CUgraph child;         // of a child graph node: a copy of its own
  WorkItem* item;        // null: a node that does nothing
  WorkItem* told;        // what a program was told of its parameters, where pointers lead to; null: nothing
  WorkItem* attributes;  // LaunchAttributes of a kernel; null: none was given
  CUcontext context;     // that was current when it was added
  std::uint32_t type;
  std::uint32_t waits;     // of a sort: predecessors that have no place yet
  std::int32_t priority;   // of the stream that it was captured from
  std::uint32_t local_id;  // within its graph
  bool marked;             // of a search
  std::uint64_t id;        // in the order of their creation
  std::uint64_t original;  // of a copy: the id of what it was copied from
  std::uint64_t in;        // edges to it and from it, the newest first
  std::uint64_t out;
  CUgraphNode next;  // of the graph, in the order of their creation
  CUgraphNode previous;
};

struct GraphEdgeState {
  CUgraphNode from;
  CUgraphNode to;
  std::uint64_t next_in;   // of the same `to`
  std::uint64_t next_out;  // of the same `from`
  CUgraphEdgeData data;
};

struct GraphState {
  CUgraphNode first;
  CUgraphNode last;
  std::uint32_t nodes;
  std::uint32_t edges;
  std::uint32_t depth;         // of child graphs within child graphs
  CUgraph parent;              // that a child graph node of has it; null: none
  bool owned;                  // by such a node
  bool moved;                  // into it, and not copied
  std::uint32_t memory_nodes;  // that allocate or free, its children's too
  std::uint32_t conditionals;  // nodes, its children's and bodies' too
  std::uint32_t executables;
  std::uint32_t id;  // among graphs and executable graphs
  std::uint32_t next_local_id;
};

GraphState* find_graph(CUgraph handle);
GraphNodeState* find_node(CUgraphNode handle);
GraphEdgeState* find_edge(std::uint64_t handle);

std::uint32_t next_graph_id();
CUresult create_graph(CUgraph* out);
void destroy_graph(CUgraph handle);
CUresult clone_graph(CUgraph from, CUgraph* out);

// A node without work.
CUresult add_node(CUgraph graph, WorkType type, CUgraphNode* out);
// A node with the work of an item, which it takes, even if it fails.
CUresult add_node(CUgraph graph, WorkItem* item, CUgraphNode* out);
void remove_node(CUgraphNode handle);
// A graph becomes that of a child graph node, or a body of a conditional one.
void adopt_graph(CUgraph child, CUgraphNode node);
void adopt_body(CUgraph body, CUgraphNode node);
inline constexpr std::uint32_t kDeepestGraph = 32;
std::uint32_t level_of(CUgraph graph);  // how many graphs it is in
// So many more nodes that allocate or free; of what has any nothing is taken away or copied.
void count_memory_nodes(CUgraph graph, std::int32_t more);
// Of conditional ones nothing is copied.
void count_conditionals(CUgraph graph, std::int32_t more);

// CUDA_ERROR_INVALID_VALUE: they are not of this graph, or are joined already, or would make a cycle.
CUresult add_edge(CUgraph graph, CUgraphNode from, CUgraphNode to, const CUgraphEdgeData& data = {});
CUresult remove_edge(CUgraph graph, CUgraphNode from, CUgraphNode to, const CUgraphEdgeData& data = {});
void remove_edges_of(const GraphNodeState& node);
// `data` may be null: plain edges.
CUresult depend_on(CUgraph graph, CUgraphNode node, const CUgraphNode* dependencies, std::size_t count,
                   const CUgraphEdgeData* data = nullptr);
// Whether an edge says no more than that one comes before the other.
bool is_plain(const CUgraphEdgeData& data);

// Marks a node and all that it depends on, and nothing else.
void mark_ancestors(CUgraph graph, CUgraphNode of);
void clear_marks(CUgraph graph);

// A sort: count_waits(), then take_next() with what it gave before until it gives null; each node comes after those
// that it depends on.
void count_waits(CUgraph graph);
CUgraphNode take_next(CUgraph graph, CUgraphNode after);

}  // namespace nvmlab::cuda
