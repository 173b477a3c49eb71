// SPDX-License-Identifier: Apache-2.0
// The types of the functions that are simulated, as the C interface of libcuda has them: what crosses it are numbers,
// handles that nobody looks into, and these few structs. A function that needs another type gets it here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "drivers/cuda/abi/abi_arrays.hpp"
#include "drivers/cuda/abi/abi_attributes.hpp"
#include "drivers/cuda/abi/generated/results.hpp"

extern "C" {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using cuuint32_t = std::uint32_t;
using cuuint64_t = std::uint64_t;

using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUgreenCtx = struct CUgreenCtx_st*;
using CUlinkState = struct CUlinkState_st*;
using CUoccupancyB2DSize = std::size_t (*)(int block_size);
using CUhostFn = void (*)(void*);
using CUstreamCallback = void (*)(CUstream stream, CUresult status, void* data);

struct CUexecAffinityParam;

struct CUctxCreateParams {
  CUexecAffinityParam* execAffinityParams;
  int numExecAffinityParams;
  struct CUctxCigParam_st* cigParams;
};

// Enumerations whose values are checked where they arrive.
using CUdevice_attribute = int;
using CUdevice_P2PAttribute = int;
using CUexecAffinityType = int;
using CUarray_format = int;
using CUlimit = int;
using CUfunc_cache = int;
using CUsharedconfig = int;
using CUpointer_attribute = int;
using CUmemPool_attribute = int;
using CUmemAllocationType = int;
using CUmemAccess_flags = unsigned int;
using CUmoduleLoadingMode = int;
using CUstreamCaptureMode = int;
using CUgraphNodeType = int;
using CUjit_option = int;
using CUjitInputType = int;
using CUlibraryOption = int;
using CUfunction_attribute = int;
using CUfunctionLoadingState = int;
using CUstreamCaptureStatus = int;
using CUdriverProcAddressQueryResult = int;

struct CUuuid {
  unsigned char bytes[16];
};

// Of cuMemcpy2D_v2; type 1 is the host, 2 the device, 3 an array, 4 whatever the address says.
struct CUDA_MEMCPY2D {
  std::size_t srcXInBytes;
  std::size_t srcY;
  int srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  struct CUarray_st* srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes;
  std::size_t dstY;
  int dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  struct CUarray_st* dstArray;
  std::size_t dstPitch;
  std::size_t WidthInBytes;
  std::size_t Height;
};

struct CUDA_HOST_NODE_PARAMS {
  CUhostFn fn;
  void* userData;
};

struct CUDA_KERNEL_NODE_PARAMS_v1 {
  CUfunction func;
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};

// Of CUDA 12; a kernel in the place of the function is the same object here.
struct CUDA_KERNEL_NODE_PARAMS {
  CUDA_KERNEL_NODE_PARAMS_v1 launch;
  CUkernel kern;
  CUcontext ctx;
};

struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  std::size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  std::size_t width;
  std::size_t height;
};

struct CUgraphEdgeData {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
};

struct CUDA_GRAPH_INSTANTIATE_PARAMS {
  cuuint64_t flags;
  CUstream hUploadStream;
  CUgraphNode hErrNode_out;
  int result_out;
};

struct CUmemLocation {
  int type;
  int id;
};

struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
};

struct CUmemPoolProps {
  CUmemAllocationType allocType;
  int handleTypes;
  CUmemLocation location;
  void* securityAttributes;
  std::size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

// One of cuStreamBatchMemOp; a flush or a barrier has flags alone.
struct CUstreamBatchMemOpParams {
  unsigned int operation;
  struct {
    CUdeviceptr address;
    cuuint64_t value;
    unsigned int flags;
    CUdeviceptr alias;
  } word;
  cuuint64_t unused;
};

struct CUlaunchConfig {
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  struct CUlaunchAttribute_st* attrs;
  unsigned int numAttrs;
};

struct CUdevprop {
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int sharedMemPerBlock;
  int totalConstantMemory;
  int SIMDWidth;
  int memPitch;
  int regsPerBlock;
  int clockRate;
  int textureAlign;
};

}  // extern "C"

#include "drivers/cuda/abi/abi_batches.hpp"
#include "drivers/cuda/abi/abi_graphs.hpp"
#include "drivers/cuda/abi/abi_memory.hpp"
#include "drivers/cuda/abi/abi_resources.hpp"
