// SPDX-License-Identifier: Apache-2.0
// Calls that add a node of one type to a graph, for cuGraphAddNode. They take the lock of the process. Tests:
// tests/drivers/cuda/graph_memory_test.cpp, conditional_nodes_test.cpp.
#pragma once

#include "drivers/cuda/graphs/graph_places.hpp"

namespace nvmlab::cuda {

// Nodes that allocate and free memory; `asked` gets the address.
CUresult add_allocation(const Place& place, CUDA_MEM_ALLOC_NODE_PARAMS* asked);
CUresult add_free(const Place& place, CUdeviceptr address);
// A conditional node; `asked` gets its bodies.
CUresult add_conditional(const Place& place, CUDA_CONDITIONAL_NODE_PARAMS* asked);

}  // namespace nvmlab::cuda
