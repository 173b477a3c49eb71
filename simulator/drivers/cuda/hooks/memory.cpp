// SPDX-License-Identifier: Apache-2.0
// Memory of devices, of both, and of the host. Tests: tests/drivers/cuda/memory_test.cpp.
#include <cstring>

#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"
#include "drivers/cuda/streams/work_threads.hpp"
#include "engine/topics/memory/memory_rules.hpp"

namespace nvmlab::cuda {
namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// Into the current context.
CUresult allocate_here(MemoryKind kind, std::uint64_t size, std::uint32_t flags, std::uint64_t* address) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const CUresult code = check_unsafe();
  return code == CUDA_SUCCESS ? allocate(guard.handle(), kind, size, flags, address) : code;
}

CUresult allocate_host(void** pp, std::uint64_t size, std::uint32_t flags) {
  constexpr std::uint32_t kKnownFlags = 7;  // portable, mapped, write-combined
  if (pp == nullptr || (flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t address = 0;
  const CUresult code = allocate_here(MemoryKind::host, size, flags, &address);
  if (code == CUDA_SUCCESS) *pp = reinterpret_cast<void*>(address);
  return code;
}

bool is_host(MemoryKind kind) { return kind == MemoryKind::host || kind == MemoryKind::registered; }

// What lies on a host allocation; null: that is none.
const Allocation* find_host(const void* pointer) {
  const Allocation* found = find_allocation(address_of(pointer));
  return found != nullptr && is_host(found->kind) ? found : nullptr;
}

template <class T>
CUresult give(void* to, T value) {
  *static_cast<T*>(to) = value;
  return CUDA_SUCCESS;
}

// Bytes of an attribute that is known here; 0: it is not.
std::size_t size_of(CUpointer_attribute attribute) {
  constexpr unsigned char kSizes[] = {0, 8, 4, 8, 8, 0, 4, 8, 1, 4, 1, 8, 8, 1, 8, 1, 4, 8};
  return attribute > 0 && attribute < static_cast<int>(sizeof kSizes) ? kSizes[attribute] : 0;
}

CUresult attribute_of(const Allocation& found, CUpointer_attribute attribute, CUdeviceptr asked, void* data) {
  constexpr unsigned kHostMemory = 1;
  constexpr unsigned kDeviceMemory = 2;
  const bool on_host = is_host(found.kind) || found.kind == MemoryKind::managed;
  switch (attribute) {
    case 1:  // context
      return give(data, found.context);
    case 2:  // memory type
      return give(data, is_host(found.kind) ? kHostMemory : kDeviceMemory);
    case 3:  // device pointer
      return give(data, asked);
    case 4:  // host pointer
      if (!on_host) return CUDA_ERROR_INVALID_VALUE;
      return give(data, reinterpret_cast<void*>(asked));
    case 6:  // copies are synchronous
      return give(data, 1);
    case 7:  // number of the buffer
      return give(data, static_cast<unsigned long long>(found.id));
    case 8:  // managed
      return give(data, static_cast<unsigned char>(found.kind == MemoryKind::managed));
    case 9:  // device ordinal
      return give(data, static_cast<int>(found.device));
    case 11:  // begin of the range
      return give(data, static_cast<CUdeviceptr>(found.address));
    case 12:  // its size
      return give(data, static_cast<size_t>(found.size));
    case 13:  // mapped
      return give(data, static_cast<unsigned char>(1));
    case 10:  // can be opened by another process
      return give(data, static_cast<unsigned char>(found.kind == MemoryKind::device && found.pool == nullptr));
    case 15:  // reached by other devices than GPUs
      return give(data, static_cast<unsigned char>(0));
    case 14:  // kinds of handles that it can be exported by
      return give(data, std::uint64_t{0});
    case 16:  // read and written by the device
      return give(data, 3u);
    case 17:  // the pool that it is from
      return give(data, found.pool);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult check_free() {
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? check_unsafe() : guard.code();
}

}  // namespace

namespace hooks {

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const CudaGpu gpu = gpu_of(process.devices[guard.context().device]);
  const MemorySplit split = consistent(gpu.slot, [](const Gpu& state) {
    return split_memory(load(state.memory.total_bytes), load(state.memory.used_bytes),
                        load(state.memory.reserved_bytes));
  });
  *total = total_memory(gpu);
  *free = split.free < *total ? split.free : *total;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
  if (dptr == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t address = 0;
  const CUresult code = allocate_here(MemoryKind::device, bytesize, 0, &address);
  if (code == CUDA_SUCCESS) *dptr = address;
  return code;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
  constexpr std::uint64_t kRow = 512;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  const bool element = ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16;
  if (dptr == nullptr || pPitch == nullptr || !element || WidthInBytes == 0 || Height == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (WidthInBytes > kMost) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::uint64_t pitch = (WidthInBytes + kRow - 1) / kRow * kRow;
  if (Height > kMost / pitch) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult code = cuMemAlloc_v2(dptr, pitch * Height);
  if (code == CUDA_SUCCESS) *pPitch = pitch;
  return code;
}

CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
  constexpr unsigned kGlobal = 1;
  constexpr unsigned kHost = 2;
  if (dptr == nullptr || (flags != kGlobal && flags != kHost)) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t address = 0;
  const CUresult code = allocate_here(MemoryKind::managed, bytesize, flags, &address);
  if (code == CUDA_SUCCESS) *dptr = address;
  return code;
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  if (dptr == 0) return CUDA_SUCCESS;
  if (const CUresult code = check_free(); code != CUDA_SUCCESS) return code;
  return while_idle_in_context([&] { return release_allocation(dptr, false); });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const Allocation* found = find_allocation(dptr);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  if (pbase != nullptr) *pbase = found->address;
  if (psize != nullptr) *psize = found->size;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void** pp, size_t bytesize) { return allocate_host(pp, bytesize, 0); }
CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) { return allocate_host(pp, bytesize, Flags); }

CUresult cuMemFreeHost(void* p) {
  return while_idle_in_context([&] { return release_allocation(address_of(p), true); });
}

CUresult cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
  constexpr unsigned kKnownFlags = 1 | 2 | 8;  // portable, mapped, read only
  constexpr unsigned kOfDevice = 4;
  if ((Flags & kOfDevice) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  if ((Flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? register_memory(guard.handle(), address_of(p), bytesize, Flags) : guard.code();
}
CUresult cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags) {
  return cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult cuMemHostUnregister(void* p) {
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return while_idle_in_context([&] { return unregister_memory(address_of(p)); });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  if (pdptr == nullptr || Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  if (find_host(p) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pdptr = address_of(p);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  if (pFlags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const Allocation* found = find_host(p);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pFlags = found->flags;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  constexpr int kLast = 22;
  if (data == nullptr || attribute < 1 || attribute > kLast) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const Allocation* found = find_allocation(ptr);
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : attribute_of(*found, attribute, ptr, data);
}

// Copies of this memory are as synchronous as their calls say, whatever is asked for.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  constexpr CUpointer_attribute kSynchronousCopies = 6;
  if (value == nullptr || attribute != kSynchronousCopies) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  return find_allocation(ptr) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Of an address that nobody knows, all that is told is zero.
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr ptr) {
  if (attributes == nullptr || data == nullptr || numAttributes == 0) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < numAttributes; ++i) {
    const CUresult code = cuPointerGetAttribute(data[i], attributes[i], ptr);
    if (code == CUDA_SUCCESS) continue;
    const std::size_t size = size_of(attributes[i]);
    if (size == 0 || data[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memset(data[i], 0, size);
    constexpr CUpointer_attribute kDeviceOrdinal = 9;
    if (attributes[i] == kDeviceOrdinal) give(data[i], -2);  // as the documentation has it
  }
  return CUDA_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
