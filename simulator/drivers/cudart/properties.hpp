// SPDX-License-Identifier: Apache-2.0
// cudaDeviceProp as programs of CUDA 12 and of CUDA 13 have it: the newer one lost some members in the middle and got
// others at its end. Tests: tests/drivers/cudart/devices_test.cpp.
#pragma once

#include "drivers/cudart/abi.hpp"

namespace nvmlab::cudart {

// Members that both have in a row, as lists for the two structs below.
#define NVMLAB_PROPERTIES_OF_IDENTITY \
  char name[256];                     \
  unsigned char uuid[16];             \
  char luid[8];                       \
  unsigned int luidDeviceNodeMask;    \
  std::size_t totalGlobalMem;         \
  std::size_t sharedMemPerBlock;      \
  int regsPerBlock;                   \
  int warpSize;                       \
  std::size_t memPitch;               \
  int maxThreadsPerBlock;             \
  int maxThreadsDim[3];               \
  int maxGridSize[3];

#define NVMLAB_PROPERTIES_OF_TEXTURES \
  int maxTexture2D[2];                \
  int maxTexture2DMipmap[2];          \
  int maxTexture2DLinear[3];          \
  int maxTexture2DGather[2];          \
  int maxTexture3D[3];                \
  int maxTexture3DAlt[3];             \
  int maxTextureCubemap;              \
  int maxTexture1DLayered[2];         \
  int maxTexture2DLayered[3];         \
  int maxTextureCubemapLayered[2];    \
  int maxSurface1D;                   \
  int maxSurface2D[2];                \
  int maxSurface3D[3];                \
  int maxSurface1DLayered[2];         \
  int maxSurface2DLayered[3];         \
  int maxSurfaceCubemap;              \
  int maxSurfaceCubemapLayered[2];    \
  std::size_t surfaceAlignment;       \
  int concurrentKernels;              \
  int ECCEnabled;                     \
  int pciBusID;                       \
  int pciDeviceID;                    \
  int pciDomainID;                    \
  int tccDriver;                      \
  int asyncEngineCount;               \
  int unifiedAddressing;

#define NVMLAB_PROPERTIES_OF_MEMORY       \
  int memoryBusWidth;                     \
  int l2CacheSize;                        \
  int persistingL2CacheMaxSize;           \
  int maxThreadsPerMultiProcessor;        \
  int streamPrioritiesSupported;          \
  int globalL1CacheSupported;             \
  int localL1CacheSupported;              \
  std::size_t sharedMemPerMultiprocessor; \
  int regsPerMultiprocessor;              \
  int managedMemory;                      \
  int isMultiGpuBoard;                    \
  int multiGpuBoardGroupID;               \
  int hostNativeAtomicSupported;

#define NVMLAB_PROPERTIES_OF_ACCESS      \
  int pageableMemoryAccess;              \
  int concurrentManagedAccess;           \
  int computePreemptionSupported;        \
  int canUseHostPointerForRegisteredMem; \
  int cooperativeLaunch;

#define NVMLAB_PROPERTIES_OF_BLOCKS           \
  std::size_t sharedMemPerBlockOptin;         \
  int pageableMemoryAccessUsesHostPageTables; \
  int directManagedMemAccessFromHost;         \
  int maxBlocksPerMultiProcessor;             \
  int accessPolicyMaxWindowSize;              \
  std::size_t reservedSharedMemPerBlock;

#define NVMLAB_PROPERTIES_SINCE_12              \
  int hostRegisterSupported;                    \
  int sparseCudaArraySupported;                 \
  int hostRegisterReadOnlySupported;            \
  int timelineSemaphoreInteropSupported;        \
  int memoryPoolsSupported;                     \
  int gpuDirectRDMASupported;                   \
  unsigned int gpuDirectRDMAFlushWritesOptions; \
  int gpuDirectRDMAWritesOrdering;              \
  unsigned int memoryPoolSupportedHandleTypes;  \
  int deferredMappingCudaArraySupported;        \
  int ipcEventSupported;                        \
  int clusterLaunch;                            \
  int unifiedFunctionPointers;

// Of CUDA 12. CUDA 11 ends at hostRegisterSupported.
struct Properties12 {
  NVMLAB_PROPERTIES_OF_IDENTITY
  int clockRate;
  std::size_t totalConstMem;
  int major;
  int minor;
  std::size_t textureAlignment;
  std::size_t texturePitchAlignment;
  int deviceOverlap;
  int multiProcessorCount;
  int kernelExecTimeoutEnabled;
  int integrated;
  int canMapHostMemory;
  int computeMode;
  int maxTexture1D;
  int maxTexture1DMipmap;
  int maxTexture1DLinear;
  NVMLAB_PROPERTIES_OF_TEXTURES
  int memoryClockRate;
  NVMLAB_PROPERTIES_OF_MEMORY
  int singleToDoublePrecisionPerfRatio;
  NVMLAB_PROPERTIES_OF_ACCESS
  int cooperativeMultiDeviceLaunch;
  NVMLAB_PROPERTIES_OF_BLOCKS
  NVMLAB_PROPERTIES_SINCE_12
  int reserved[63];
};
static_assert(sizeof(Properties12) == 1032);

struct Properties13 {
  NVMLAB_PROPERTIES_OF_IDENTITY
  std::size_t totalConstMem;
  int major;
  int minor;
  std::size_t textureAlignment;
  std::size_t texturePitchAlignment;
  int multiProcessorCount;
  int integrated;
  int canMapHostMemory;
  int maxTexture1D;
  int maxTexture1DMipmap;
  NVMLAB_PROPERTIES_OF_TEXTURES
  NVMLAB_PROPERTIES_OF_MEMORY
  NVMLAB_PROPERTIES_OF_ACCESS
  NVMLAB_PROPERTIES_OF_BLOCKS
  NVMLAB_PROPERTIES_SINCE_12
  int deviceNumaConfig;
  int deviceNumaId;
  int mpsEnabled;
  int hostNumaId;
  unsigned int gpuPciDeviceID;
  unsigned int gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported;
  int reserved[56];
};
static_assert(sizeof(Properties13) == 1008);

// Reads all that either has.
cudaError_t read_properties(int device, Properties12* out);
cudaError_t read_properties(int device, Properties13* out);

}  // namespace nvmlab::cudart
