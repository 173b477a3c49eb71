// SPDX-License-Identifier: Apache-2.0
// The types of nodes that are added by their parameters, of updates and of user objects, as the C interface of libcuda
// has them.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

extern "C" {

struct CUDA_MEMCPY3D;

using CUuserObject = struct CUuserObject_st*;
using CUgraphExecUpdateResult = int;

// One of the structs of a type's parameters lies in `of`; a copy's begins 16 bytes later, behind flags and a context.
struct CUgraphNodeParams {
  CUgraphNodeType type;
  int reserved0[3];
  long long of[29];
  long long reserved2;
};

struct CUDA_MEM_ALLOC_NODE_PARAMS {
  struct CUmemPoolProps poolProps;
  const struct CUmemAccessDesc* accessDescs;
  std::size_t accessDescCount;
  std::size_t bytesize;
  CUdeviceptr dptr;
};
using CUgraphMem_attribute = int;

struct CUDA_BATCH_MEM_OP_NODE_PARAMS {
  CUcontext ctx;
  unsigned int count;
  struct CUstreamBatchMemOpParams* paramArray;
  unsigned int flags;
};

using CUgraphConditionalHandle = std::uint64_t;
struct CUDA_CONDITIONAL_NODE_PARAMS {
  CUgraphConditionalHandle handle;
  int type;
  unsigned int size;
  CUgraph* phGraph_out;
  CUcontext ctx;
};

struct CUgraphExecUpdateResultInfo {
  CUgraphExecUpdateResult result;
  CUgraphNode errorNode;
  CUgraphNode errorFromNode;
};

}  // extern "C"
