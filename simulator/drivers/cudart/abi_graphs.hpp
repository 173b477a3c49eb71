// SPDX-License-Identifier: Apache-2.0
// The types of nodes that a program describes, as the C interface of libcudart has them. Included by abi.hpp.
#pragma once

#include "drivers/cuda/abi/abi_graphs.hpp"
#include "drivers/cudart/abi_arrays.hpp"

extern "C" {

using cudaGraph_t = CUgraph;
using cudaGraphExec_t = CUgraphExec;
using cudaGraphNode_t = CUgraphNode;
using cudaGraphConditionalHandle = CUgraphConditionalHandle;

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};

// These are the driver's, but for what of[] holds of kernels, copies and fills.
struct cudaMemsetParams : CUDA_MEMSET_NODE_PARAMS {};
struct cudaGraphNodeParams : CUgraphNodeParams {};
struct cudaGraphEdgeData : CUgraphEdgeData {};

}  // extern "C"
