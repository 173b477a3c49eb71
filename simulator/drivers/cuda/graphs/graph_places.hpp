// SPDX-License-Identifier: Apache-2.0
// Where a node comes that a program adds to a graph. Under the lock of the process. Tests:
// tests/drivers/cuda/graphs_test.cpp, graph_nodes_test.cpp.
#pragma once

#include "drivers/cuda/graphs/graphs.hpp"

namespace nvmlab::cuda {

struct Place {
  CUgraphNode* out;
  CUgraph graph;
  const CUgraphNode* dependencies;
  std::size_t count;
  const CUgraphEdgeData* data = nullptr;  // of the edges from them; null: plain ones
};

// Nodes that allocate and free memory; the address is told in the parameters.
CUresult add_allocation(const Place& place, CUDA_MEM_ALLOC_NODE_PARAMS* asked);
CUresult add_free(const Place& place, CUdeviceptr address);
// A conditional node; its bodies are told in the parameters.
CUresult add_conditional(const Place& place, CUDA_CONDITIONAL_NODE_PARAMS* asked);

// Calls make(&node), which adds one, and joins it to those before; of a node that cannot be joined nothing is left.
template <class Make>
CUresult add(const Place& place, const Make& make) {
  if (place.out == nullptr || find_graph(place.graph) == nullptr || (place.count > 0 && place.dependencies == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNode made = nullptr;
  CUresult code = make(&made);
  if (code == CUDA_SUCCESS) code = depend_on(place.graph, made, place.dependencies, place.count, place.data);
  if (code == CUDA_SUCCESS) {
    *place.out = made;
  } else {
    remove_node(made);
  }
  return code;
}

}  // namespace nvmlab::cuda
