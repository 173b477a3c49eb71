// SPDX-License-Identifier: Apache-2.0
//
// The driver below: libcuda.so.1, opened at the first call, by its plain name as programs find it, else from the
// folders above this library. What hooks use has its type from drivers/cuda; what a function of the runtime is handed
// on to as it came is a bare address. A function that the driver lacks is null.
#pragma once

#include "drivers/common/line.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cudart/abi.hpp"
#include "drivers/cudart/generated/forwards.hpp"

// One row for each function that hooks call.
// clang-format off
#define NVMLAB_DRIVER_FUNCTIONS(row) \
  row(cuInit) row(cuDriverGetVersion) row(cuGetProcAddress_v2) row(cuDeviceGetCount) row(cuDeviceGetName) \
  row(cuDeviceGetUuid_v2) row(cuDeviceTotalMem_v2) row(cuDeviceGetAttribute) row(cuDeviceGetByPCIBusId) \
  row(cuDeviceGetPCIBusId) row(cuDeviceCanAccessPeer) row(cuDeviceGetP2PAttribute) row(cuDevicePrimaryCtxRetain) \
  row(cuDevicePrimaryCtxReset_v2) row(cuDevicePrimaryCtxSetFlags_v2) row(cuDevicePrimaryCtxGetState) \
  row(cuCtxGetCurrent) row(cuCtxSetCurrent) row(cuCtxGetDevice) row(cuCtxEnablePeerAccess) \
  row(cuCtxDisablePeerAccess) row(cuMemAlloc_v2) row(cuMemFree_v2) row(cuMemHostAlloc) row(cuMemFreeHost) \
  row(cuMemAllocManaged) row(cuMemAllocPitch_v2) row(cuPointerGetAttribute) row(cuMemcpy) row(cuMemcpyAsync) \
  row(cuMemcpyHtoD_v2) row(cuMemcpyHtoDAsync_v2) row(cuMemcpyDtoH_v2) row(cuMemcpyDtoHAsync_v2) \
  row(cuMemcpyDtoD_v2) row(cuMemcpyDtoDAsync_v2) row(cuMemcpyPeer) row(cuMemcpyPeerAsync) row(cuMemcpy2D_v2) \
  row(cuMemcpy2DUnaligned_v2) row(cuMemcpy2DAsync_v2) row(cuMemsetD8_v2) row(cuMemsetD8Async) row(cuMemsetD2D8_v2) row(cuMemsetD2D8Async) row(cuStreamCreate) \
  row(cuEventCreate) row(cuModuleLoadData) row(cuModuleUnload) row(cuModuleGetFunction) row(cuModuleGetGlobal_v2) \
  row(cuLaunchKernel) row(cuLaunchKernelEx) row(cuLaunchCooperativeKernel) row(cuFuncGetAttribute) \
  row(cuFuncSetAttribute) row(cuFuncSetCacheConfig) row(cuFuncSetSharedMemConfig) row(cuFuncGetName) \
  row(cuFuncGetParamInfo) row(cuFuncIsLoaded) row(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  row(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) row(cuOccupancyAvailableDynamicSMemPerBlock) \
  row(cuProfilerStart) row(cuProfilerStop) row(cuMemcpy3D_v2) row(cuMemcpy3DAsync_v2) row(cuArray3DCreate_v2) \
  row(cuArray3DGetDescriptor_v2) row(cuArrayDestroy) row(cuMipmappedArrayCreate) row(cuMipmappedArrayDestroy) \
  row(cuTexObjectCreate) row(cuTexObjectGetResourceDesc) row(cuTexObjectGetTextureDesc) row(cuSurfObjectCreate) \
  row(cuSurfObjectGetResourceDesc) row(cuDeviceGetTexture1DLinearMaxWidth) row(cuIpcOpenMemHandle_v2) \
  row(cuGraphAddKernelNode) row(cuGraphAddMemcpyNode) row(cuGraphAddMemsetNode) row(cuGraphAddNode) \
  row(cuGraphAddNode_v2) row(cuGraphKernelNodeGetParams) row(cuGraphKernelNodeSetParams) \
  row(cuGraphExecKernelNodeSetParams) row(cuGraphMemcpyNodeGetParams) row(cuGraphMemcpyNodeSetParams) \
  row(cuGraphExecMemcpyNodeSetParams) row(cuGraphExecMemsetNodeSetParams) row(cuGraphNodeSetParams) \
  row(cuGraphExecNodeSetParams) row(cuGraphKernelNodeCopyAttributes) row(cuGraphNodeGetParams) row(cuGraphConditionalHandleCreate) \
  row(cuOccupancyMaxActiveClusters) row(cuOccupancyMaxPotentialClusterSize) row(cuGreenCtxCreate) \
  row(cuCtxFromGreenCtx) row(cuCtxGetDevice_v2) row(cuCtxSynchronize_v2) \
  row(cuIpcOpenEventHandle) row(cuMemPoolExportToShareableHandle) row(cuMemPoolImportFromShareableHandle)
// clang-format on

namespace nvmlab::cudart {

inline constexpr std::uint32_t kLogErrors = 1;
inline constexpr std::uint32_t kLogInfo = 2;
inline constexpr std::uint32_t kLogCalls = 3;

enum class Forward : std::uint16_t {
#define NVMLAB_ENUMERATE(name) name,
  NVMLAB_FORWARDS(NVMLAB_ENUMERATE)
#undef NVMLAB_ENUMERATE
      kCount
};

struct Driver {
#define NVMLAB_MEMBER(name) decltype(cuda::hooks::name)* name;
  NVMLAB_DRIVER_FUNCTIONS(NVMLAB_MEMBER)
#undef NVMLAB_MEMBER
  void* forwards[static_cast<std::size_t>(Forward::kCount)];
};

// Null where there is none.
const Driver* driver();

// What the driver's code is called here: the numbers are the same.
inline cudaError_t error_of(CUresult code) { return static_cast<cudaError_t>(static_cast<int>(code)); }

// Calls a function of the driver; one that it lacks needs a newer driver.
template <class... Parameters, class... Arguments>
cudaError_t ask(CUresult (*function)(Parameters...), Arguments... arguments) {
  return function == nullptr ? cudaErrorCallRequiresNewerDriver : error_of(function(arguments...));
}

std::uint32_t log_level();
void log(std::uint32_t level, const driver::Line& line);

}  // namespace nvmlab::cudart
