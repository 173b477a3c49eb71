// SPDX-License-Identifier: Apache-2.0
// What nodes of graphs are asked to do, from the runtime's structs into the driver's and back: kernels by the address
// of their host function, copies by widths in elements. Tests: tests/drivers/cudart/graphs_test.cpp.
#pragma once

#include "drivers/cudart/boxes.hpp"

namespace nvmlab::cudart {

cudaError_t driver_kernel(const cudaKernelNodeParams& of, CUDA_KERNEL_NODE_PARAMS_v1* out);
void runtime_kernel(const CUDA_KERNEL_NODE_PARAMS_v1& of, cudaKernelNodeParams* out);

// Of any type.
cudaError_t driver_node(const Driver& below, const cudaGraphNodeParams& of, CUgraphNodeParams* out);
cudaError_t runtime_node(const Driver& below, const CUgraphNodeParams& of, cudaGraphNodeParams* out);
// What the driver left for the program: the copy of a graph, the address of an allocation.
void tell_node(const CUgraphNodeParams& of, cudaGraphNodeParams* out);

// The context that copies and fills are done in.
CUcontext current_context(const Driver& below);

}  // namespace nvmlab::cudart
