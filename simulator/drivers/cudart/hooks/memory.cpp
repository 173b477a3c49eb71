// SPDX-License-Identifier: Apache-2.0
// Memory of devices, of the host and of both. Tests: tests/drivers/cudart/memory_test.cpp.
#include <cstring>

#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/runtime.hpp"

namespace nvmlab::cudart {
namespace {

constexpr unsigned kOfAllContexts = 1;

cudaError_t allocate_rows(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    *pointer = nullptr;
    *pitch = 0;
    if (width == 0 || height == 0) return cudaSuccess;
    constexpr unsigned kElement = 4;
    CUdeviceptr made = 0;
    const cudaError_t code = ask(below.cuMemAllocPitch_v2, &made, pitch, width, height, kElement);
    *pointer = pointer_to(made);
    return code;
  });
}

}  // namespace

namespace hooks {

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  if (devPtr == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUdeviceptr made = 0;
    const cudaError_t code = size == 0 ? cudaSuccess : ask(below.cuMemAlloc_v2, &made, size);
    *devPtr = pointer_to(made);
    return code;
  });
}

cudaError_t cudaFree(void* devPtr) {
  return with_context([&](const Driver& below) {
    return devPtr == nullptr ? cudaSuccess : ask(below.cuMemFree_v2, address_of(devPtr));
  });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  if (pHost == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    *pHost = nullptr;
    return size == 0 ? cudaSuccess : ask(below.cuMemHostAlloc, pHost, size, flags | kOfAllContexts);
  });
}

cudaError_t cudaMallocHost(void** ptr, size_t size) { return cudaHostAlloc(ptr, size, 0); }

cudaError_t cudaFreeHost(void* ptr) {
  return with_context(
      [&](const Driver& below) { return ptr == nullptr ? cudaSuccess : ask(below.cuMemFreeHost, ptr); });
}

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  if (devPtr == nullptr || size == 0) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUdeviceptr made = 0;
    const cudaError_t code = ask(below.cuMemAllocManaged, &made, size, flags);
    if (code == cudaSuccess) *devPtr = pointer_to(made);
    return code;
  });
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return allocate_rows(devPtr, pitch, width, height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  std::size_t rows = 0;
  if (pitchedDevPtr == nullptr) return cudaErrorInvalidValue;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return cudaErrorMemoryAllocation;
  cudaPitchedPtr made{nullptr, 0, extent.width, extent.height};
  const cudaError_t code = allocate_rows(&made.ptr, &made.pitch, extent.width, rows);
  if (code == cudaSuccess) *pitchedDevPtr = made;
  return code;
}

cudaError_t cudaIpcOpenMemHandle(void** devPtr, cudaIpcMemHandle_t handle, unsigned int flags) {
  if (devPtr == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUipcMemHandle of{};
    std::memcpy(&of, &handle, sizeof of);
    CUdeviceptr made = 0;
    const cudaError_t code = ask(below.cuIpcOpenMemHandle_v2, &made, of, flags);
    *devPtr = pointer_to(made);
    return code;
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return with_context([&](const Driver& below) {
    CUipcEventHandle of{};
    std::memcpy(&of, &handle, sizeof of);
    return ask(below.cuIpcOpenEventHandle, event, of);
  });
}

cudaError_t cudaMemPoolExportToShareableHandle(void* shareableHandle, cudaMemPool_t memPool,
                                               cudaMemAllocationHandleType handleType, unsigned int flags) {
  return with_context([&](const Driver& below) {
    return ask(below.cuMemPoolExportToShareableHandle, shareableHandle, memPool, static_cast<int>(handleType),
               std::uint64_t{flags});
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* memPool, void* shareableHandle,
                                                 cudaMemAllocationHandleType handleType, unsigned int flags) {
  return with_context([&](const Driver& below) {
    return ask(below.cuMemPoolImportFromShareableHandle, memPool, shareableHandle, static_cast<int>(handleType),
               std::uint64_t{flags});
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  constexpr int kMemoryType = 2;
  constexpr int kDevicePointer = 3;
  constexpr int kHostPointer = 4;
  constexpr int kManaged = 8;
  constexpr int kOrdinal = 9;
  constexpr int kTypeOfManaged = 3;
  constexpr int kNoDevice = -2;
  if (attributes == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    cudaPointerAttributes read{0, kNoDevice, nullptr, const_cast<void*>(ptr), {}};
    unsigned type = 0;
    if (ask(below.cuPointerGetAttribute, &type, kMemoryType, address_of(ptr)) == cudaSuccess) {
      unsigned managed = 0;
      CUdeviceptr device = 0;
      read.hostPointer = nullptr;
      ask(below.cuPointerGetAttribute, &managed, kManaged, address_of(ptr));
      ask(below.cuPointerGetAttribute, &device, kDevicePointer, address_of(ptr));
      ask(below.cuPointerGetAttribute, &read.hostPointer, kHostPointer, address_of(ptr));
      ask(below.cuPointerGetAttribute, &read.device, kOrdinal, address_of(ptr));
      read.type = managed != 0 ? kTypeOfManaged : static_cast<int>(type);
      read.devicePointer = pointer_to(device);
    }
    attributes->type = read.type;
    attributes->device = read.device;
    attributes->devicePointer = read.devicePointer;
    attributes->hostPointer = read.hostPointer;
    for (long& each : attributes->since_13) {
      if (kRuntimeVersion >= 13000) each = 0;
    }
    return cudaSuccess;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cudart
