// SPDX-License-Identifier: Apache-2.0
//
// Conditional nodes: graphs of a node's own that run while, or if, a word says so, which kernels set by its handle. The
// handle is the address of the word, so that a kernel reaches it as any memory. The bodies run where the node does, one
// node after another. Under the lock of the process, but for what runs. Tests:
// tests/drivers/cuda/conditional_nodes_test.cpp.
#pragma once

#include "drivers/cuda/graphs/executables.hpp"

namespace nvmlab::cuda {

enum class ConditionalType : std::int32_t { if_else, loop, choice };
inline constexpr std::uint32_t kMostBodies = 1024;

// The payload of a node and of an item of an executable graph; the bodies lie behind it: handles of graphs in a node,
// the first items of lists in an executable.
struct Conditional {
  std::uint64_t condition;
  ConditionalType type;
  std::uint32_t size;
  CUcontext context;
};
inline std::uint64_t* bodies_of(WorkItem& item) {
  return reinterpret_cast<std::uint64_t*>(static_cast<Conditional*>(payload_of(item)) + 1);
}
inline std::uint32_t body_count(const WorkItem& item) {
  return static_cast<const Conditional*>(payload_of(item))->size;
}

CUresult create_condition(CUgraph graph, CUcontext context, std::uint32_t value, bool at_launch, std::uint64_t* out);
// Whether a node of this graph may have it.
bool has_condition(CUgraph graph, std::uint64_t condition, CUcontext context);
// Of a graph, and of executables that were made of it.
void hold_conditions(CUgraph graph);
void let_go_of_conditions(CUgraph graph);
// Appends what a launch does before anything else: it sets the values that the conditions of the graph begin with.
CUresult append_first_values(CUgraph graph, ExecutableState& to);

// The item of a conditional node, whose bodies are to come.
CUresult make_conditional(const CUDA_CONDITIONAL_NODE_PARAMS& asked, WorkItem** out);

}  // namespace nvmlab::cuda
