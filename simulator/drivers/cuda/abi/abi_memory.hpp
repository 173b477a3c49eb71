// SPDX-License-Identifier: Apache-2.0
// The types of memory that is mapped in pieces and shared between processes, as the C interface of libcuda has them.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

extern "C" {

using CUmemGenericAllocationHandle = unsigned long long;
using CUmemAllocationHandleType = int;
using CUmemAllocationGranularity_flags = int;
using CUmem_advise = int;
using CUmem_range_attribute = int;

struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};

struct CUipcMemHandle {
  char reserved[64];
};
struct CUmemPoolPtrExportData {
  unsigned char reserved[64];
};
struct CUipcEventHandle {
  char reserved[64];
};

}  // extern "C"
