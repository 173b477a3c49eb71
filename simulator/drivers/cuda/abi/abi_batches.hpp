// SPDX-License-Identifier: Apache-2.0
// The types of copies that are given in batches, as the C interface of libcuda has them. Included by abi.hpp.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

extern "C" {

struct CUmemcpyAttributes {
  int srcAccessOrder;
  CUmemLocation srcLocHint;
  CUmemLocation dstLocHint;
  unsigned int flags;
};

// Type 1 is a pointer, 2 an array; lengths and offsets are elements.
struct CUmemcpy3DOperand {
  int type;
  union {
    struct {
      CUdeviceptr ptr;
      std::size_t rowLength;
      std::size_t layerHeight;
      CUmemLocation locHint;
    } ptr;
    struct {
      CUarray array;
      std::size_t x, y, z;
    } array;
  } op;
};

struct CUDA_MEMCPY3D_BATCH_OP {
  CUmemcpy3DOperand src;
  CUmemcpy3DOperand dst;
  struct {
    std::size_t width, height, depth;
  } extent;
  int srcAccessOrder;
  unsigned int flags;
};

// As CUDA_MEMCPY3D, with a context where that has nothing.
struct CUDA_MEMCPY3D_PEER;

}  // extern "C"
