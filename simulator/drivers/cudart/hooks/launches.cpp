// SPDX-License-Identifier: Apache-2.0
// Launches, and what is asked of kernels. Tests: tests/drivers/cudart/registration_test.cpp.
#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/images.hpp"

namespace nvmlab::cudart {
namespace {

bool fits(const Driver& below, int device, int attribute, std::uint64_t value) {
  int most = 0;
  if (ask(below.cuDeviceGetAttribute, &most, attribute, device) != cudaSuccess) return true;
  return value != 0 && value <= static_cast<std::uint64_t>(most);
}

// The driver calls all of them an invalid value.
cudaError_t name_fault(const Driver& below, cudaError_t code, const dim3& grid, const dim3& block) {
  constexpr int kThreads = 1;
  constexpr int kBlockX = 2;
  constexpr int kGridX = 5;
  int device = 0;
  if (code != cudaErrorInvalidValue || ask(below.cuCtxGetDevice, &device) != cudaSuccess) return code;
  const bool good = fits(below, device, kThreads, std::uint64_t{block.x} * block.y * block.z) &&
                    fits(below, device, kBlockX, block.x) && fits(below, device, kBlockX + 1, block.y) &&
                    fits(below, device, kBlockX + 2, block.z) && fits(below, device, kGridX, grid.x) &&
                    fits(below, device, kGridX + 1, grid.y) && fits(below, device, kGridX + 2, grid.z);
  return good ? code : cudaErrorInvalidConfiguration;
}

CUlaunchConfig driver_config(const cudaLaunchConfig_t& of) {
  return {of.gridDim.x,
          of.gridDim.y,
          of.gridDim.z,
          of.blockDim.x,
          of.blockDim.y,
          of.blockDim.z,
          static_cast<unsigned>(of.dynamicSmemBytes),
          of.stream,
          of.attrs,
          of.numAttrs};
}

// Calls body(driver, function) with a kernel in the thread's context.
template <class Body>
cudaError_t with_kernel(const void* kernel, const Body& body) {
  CUfunction function = nullptr;
  const cudaError_t code = function_of(kernel, &function);
  return code == cudaSuccess ? body(*driver(), function) : code;
}

}  // namespace

namespace hooks {

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                             cudaStream_t stream) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    const cudaError_t code = ask(below.cuLaunchKernel, function, gridDim.x, gridDim.y, gridDim.z, blockDim.x,
                                 blockDim.y, blockDim.z, static_cast<unsigned>(sharedMem), stream, args, nullptr);
    return name_fault(below, code, gridDim, blockDim);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                                        cudaStream_t stream) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    const cudaError_t code = ask(below.cuLaunchCooperativeKernel, function, gridDim.x, gridDim.y, gridDim.z, blockDim.x,
                                 blockDim.y, blockDim.z, static_cast<unsigned>(sharedMem), stream, args);
    return name_fault(below, code, gridDim, blockDim);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  if (config == nullptr) return cudaErrorInvalidValue;
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    const CUlaunchConfig wanted = driver_config(*config);
    const cudaError_t code = ask(below.cuLaunchKernelEx, &wanted, function, args, nullptr);
    return name_fault(below, code, config->gridDim, config->blockDim);
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  if (attr == nullptr) return cudaErrorInvalidValue;
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    int values[16] = {};
    for (int id = 0; id < 16; ++id) {
      const cudaError_t code = ask(below.cuFuncGetAttribute, &values[id], id, function);
      if (code != cudaSuccess && id < 8) return code;  // the others came with later drivers
    }
    *attr = {};
    attr->maxThreadsPerBlock = values[0];
    attr->sharedSizeBytes = static_cast<std::size_t>(values[1]);
    attr->constSizeBytes = static_cast<std::size_t>(values[2]);
    attr->localSizeBytes = static_cast<std::size_t>(values[3]);
    int* const rest[] = {&attr->numRegs,
                         &attr->ptxVersion,
                         &attr->binaryVersion,
                         &attr->cacheModeCA,
                         &attr->maxDynamicSharedSizeBytes,
                         &attr->preferredShmemCarveout,
                         &attr->clusterDimMustBeSet,
                         &attr->requiredClusterWidth,
                         &attr->requiredClusterHeight,
                         &attr->requiredClusterDepth,
                         &attr->nonPortableClusterSizeAllowed,
                         &attr->clusterSchedulingPolicyPreference};
    for (int id = 4; id < 16; ++id)
      *rest[id - 4] = values[id];
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    return ask(below.cuFuncSetAttribute, function, static_cast<int>(attr), value);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attr, int value, int device) {
  int before = 0;
  cudaError_t code = current_device(&before);
  if (code == cudaSuccess) code = choose_device(device);
  if (code != cudaSuccess) return code;
  code = cudaFuncSetAttribute(kernel, attr, value);
  choose_device(before);
  return code;
}

cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache cacheConfig) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    return ask(below.cuFuncSetCacheConfig, function, static_cast<int>(cacheConfig));
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* func, cudaSharedMemConfig config) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    return ask(below.cuFuncSetSharedMemConfig, function, static_cast<int>(config));
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* func) {
  return with_kernel(
      func, [&](const Driver& below, CUfunction function) { return ask(below.cuFuncGetName, name, function); });
}

cudaError_t cudaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    return ask(below.cuFuncGetParamInfo, function, paramIndex, paramOffset, paramSize);
  });
}

cudaError_t cudaFuncGetParamCount(const void* func, size_t* paramCount) {
  if (paramCount == nullptr) return cudaErrorInvalidValue;
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    constexpr std::size_t kMost = 4096;  // bytes that all of them may take
    std::size_t offset = 0;
    std::size_t size = 0;
    *paramCount = 0;
    while (*paramCount < kMost && ask(below.cuFuncGetParamInfo, function, *paramCount, &offset, &size) == cudaSuccess)
      ++*paramCount;
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* functionPtr, const void* symbolPtr) {
  if (functionPtr == nullptr) return cudaErrorInvalidValue;
  return function_of(symbolPtr, functionPtr);
}

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  if (devPtr == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const cudaError_t code = variable_of(symbol, &address, &bytes);
  if (code == cudaSuccess) *devPtr = pointer_to(address);
  return code;
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  if (size == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr address = 0;
  return variable_of(symbol, &address, size);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                          size_t dynamicSMemSize) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    return ask(below.cuOccupancyMaxActiveBlocksPerMultiprocessor, numBlocks, function, blockSize, dynamicSMemSize);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func, int blockSize,
                                                                   size_t dynamicSMemSize, unsigned int flags) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    return ask(below.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, numBlocks, function, blockSize,
               dynamicSMemSize, flags);
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func, int numBlocks,
                                                      int blockSize) {
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    return ask(below.cuOccupancyAvailableDynamicSMemPerBlock, dynamicSmemSize, function, numBlocks, blockSize);
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func,
                                                 const cudaLaunchConfig_t* launchConfig) {
  if (launchConfig == nullptr) return cudaErrorInvalidValue;
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    const CUlaunchConfig wanted = driver_config(*launchConfig);
    return ask(below.cuOccupancyMaxPotentialClusterSize, clusterSize, function, &wanted);
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* numClusters, const void* func, const cudaLaunchConfig_t* launchConfig) {
  if (launchConfig == nullptr) return cudaErrorInvalidValue;
  return with_kernel(func, [&](const Driver& below, CUfunction function) {
    const CUlaunchConfig wanted = driver_config(*launchConfig);
    return ask(below.cuOccupancyMaxActiveClusters, numClusters, function, &wanted);
  });
}

}  // namespace hooks
}  // namespace nvmlab::cudart
