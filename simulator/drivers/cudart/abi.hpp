// SPDX-License-Identifier: Apache-2.0
// The types of the functions that are simulated, as the C interface of libcudart has them. Handles are the driver's. A
// function that needs another type gets it here.
#pragma once

#include "drivers/cuda/abi/abi.hpp"
#include "drivers/cudart/abi_arrays.hpp"
#include "drivers/cudart/generated/errors.hpp"

extern "C" {

using cudaError_t = cudaError;
using cudaStream_t = CUstream;
using cudaEvent_t = CUevent;
using cudaFunction_t = CUfunction;
using cudaKernel_t = CUkernel;
using cudaUUID_t = CUuuid;
using cudaMemPool_t = CUmemoryPool;

// Enumerations whose values are checked where they arrive.
enum cudaMemcpyKind : int;
enum cudaDeviceAttr : int;
enum cudaDeviceP2PAttr : int;
enum cudaFuncAttribute : int;
enum cudaFuncCache : int;
enum cudaSharedMemConfig : int;
enum cudaDriverEntryPointQueryResult : int;
enum cudaMemAllocationHandleType : int;

struct dim3 {
  unsigned int x;
  unsigned int y;
  unsigned int z;
};

struct cudaMemLocation {
  int type;
  int id;
};

struct cudaPos {
  std::size_t x;
  std::size_t y;
  std::size_t z;
};

struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch;
  std::size_t xsize;
  std::size_t ysize;
};

struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
};

struct cudaIpcMemHandle_t {
  char reserved[64];
};

struct cudaIpcEventHandle_t {
  char reserved[64];
};

struct cudaPointerAttributes {
  int type;
  int device;
  void* devicePointer;
  void* hostPointer;
  long since_13[8];  // of CUDA 13 alone
};

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  std::size_t constSizeBytes;
  std::size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
  int reserved[16];
};

using cudaExecutionContext_t = CUgreenCtx;
using cudaDevResourceDesc_t = CUdevResourceDesc;

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  struct CUlaunchAttribute_st* attrs;  // as the driver has them
  unsigned int numAttrs;
};

struct cudaDeviceProp;  // properties.hpp: CUDA 12 and 13 each have their own

}  // extern "C"

#include "drivers/cudart/abi_graphs.hpp"
