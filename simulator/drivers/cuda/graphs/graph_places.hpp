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

// CUDA_ERROR_INVALID_VALUE: there is no such place.
CUresult check_place(const Place& place);
// Adds a node at a place that was checked, and joins it to those before; of a node that cannot be joined nothing is
// left. The first takes the item, even if it fails; the second has no work.
CUresult add_at(const Place& place, WorkItem* item);
CUresult add_at(const Place& place, WorkType type);

}  // namespace nvmlab::cuda
