// SPDX-License-Identifier: Apache-2.0
// Ranges of addresses, memory by handles, and what is mapped where. Tests: tests/drivers/cuda/virtual_memory_test.cpp.
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/memory/allocation_table.hpp"
#include "drivers/cuda/memory/physical_memory.hpp"
#include "drivers/cuda/process/shared_memory.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kPinned = 1;    // the only type of allocation
constexpr int kOnDevice = 1;  // of a location
constexpr int kFileDescriptor = 1;
constexpr unsigned kNoAccess = 0;
constexpr unsigned kReadAndWrite = 3;
constexpr std::uint32_t kDevices = 64;  // whose access is kept

bool whole(std::uint64_t number) { return number % kGranularity == 0; }

CUresult check(const CUmemAllocationProp* prop) {
  if (prop == nullptr || prop->type != kPinned) return CUDA_ERROR_INVALID_VALUE;
  if (prop->location.type != kOnDevice) return CUDA_ERROR_NOT_SUPPORTED;
  if ((prop->requestedHandleTypes & ~kFileDescriptor) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  return find_device(prop->location.id) == nullptr ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

template <class Body>
CUresult with_memory(CUmemGenericAllocationHandle handle, const Body& body) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  PhysicalMemory* const memory = find_physical(handle);
  return memory == nullptr || memory->references == 0 ? CUDA_ERROR_INVALID_VALUE : body(*memory);
}

// Of the devices to say something about, those that may reach the memory from now on and those that may not.
struct Access {
  std::uint64_t given;
  std::uint64_t taken;
};

CUresult access_of(const CUmemAccessDesc* desc, std::size_t count, Access* access) {
  for (std::size_t i = 0; i < count; ++i) {
    if (desc[i].location.type != kOnDevice) return CUDA_ERROR_NOT_SUPPORTED;
    if (find_device(desc[i].location.id) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (desc[i].location.id >= static_cast<int>(kDevices)) return CUDA_ERROR_NOT_SUPPORTED;
    if (desc[i].flags != kNoAccess && desc[i].flags != kReadAndWrite) return CUDA_ERROR_NOT_SUPPORTED;
    (desc[i].flags == kReadAndWrite ? access->given : access->taken) |= std::uint64_t{1} << desc[i].location.id;
  }
  return CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags option) {
  if (granularity == nullptr || (option != 0 && option != 1)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check(prop); code != CUDA_SUCCESS) return code;
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
  if (ptr == nullptr || size == 0 || !whole(size) || (alignment & (alignment - 1)) != 0 || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  std::uint64_t address = 0;
  const CUresult code = reserve_range(size, alignment, addr, &address);
  if (code == CUDA_SUCCESS) *ptr = address;
  return code;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  const Locked lock;
  return size == 0 ? CUDA_ERROR_INVALID_VALUE : free_range(ptr, size);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size, const CUmemAllocationProp* prop,
                     unsigned long long flags) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  if (handle == nullptr || size == 0 || !whole(size) || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check(prop); code != CUDA_SUCCESS) return code;
  if (size > kMost) return CUDA_ERROR_OUT_OF_MEMORY;
  const Locked lock;
  std::uint64_t made = 0;
  const CUresult code = create_physical(static_cast<std::uint32_t>(prop->location.id), size,
                                        static_cast<std::uint32_t>(prop->requestedHandleTypes), &made);
  if (code == CUDA_SUCCESS) *handle = made;
  return code;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return with_memory(handle, [handle](const PhysicalMemory&) {
    release_handle(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop, CUmemGenericAllocationHandle handle) {
  if (prop == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_memory(handle, [prop](const PhysicalMemory& memory) {
    *prop = {kPinned, static_cast<int>(memory.handle_types), {kOnDevice, static_cast<int>(memory.device)}, nullptr, {}};
    return CUDA_SUCCESS;
  });
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  if (size == 0 || !whole(size) || !whole(ptr) || offset != 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return with_memory(handle, [&](const PhysicalMemory& memory) {
    if (size > memory.size || !in_range(ptr, size)) return CUDA_ERROR_INVALID_VALUE;
    return place_memory(current_context(), ptr, size, handle);
  });
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  if (size == 0 || ptr + size < ptr) return CUDA_ERROR_INVALID_VALUE;
  return while_idle([&] { return take_out(ptr, size); });
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count) {
  if (size == 0 || ptr + size < ptr || desc == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  Access access{};
  if (const CUresult code = access_of(desc, count, &access); code != CUDA_SUCCESS) return code;
  return while_idle([&] {
    const CUresult code = check_placed(ptr, size);
    if (code != CUDA_SUCCESS) return code;
    for_placed(ptr, size, [&](Allocation& piece) { piece.access = (piece.access & ~access.taken) | access.given; });
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
  if (flags == nullptr || location == nullptr || location->type != kOnDevice) return CUDA_ERROR_INVALID_VALUE;
  if (find_device(location->id) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const Locked lock;
  const Allocation* const found = find_placed(ptr);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool kept = location->id < static_cast<int>(kDevices);
  *flags = kept && (found->access >> location->id & 1) != 0 ? kReadAndWrite : kNoAccess;
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const Allocation* const found = find_placed(reinterpret_cast<std::uint64_t>(addr));
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  ++find_physical(found->backing)->references;
  *handle = found->backing;
  return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType, unsigned long long flags) {
  if (shareableHandle == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (handleType != kFileDescriptor) return CUDA_ERROR_NOT_SUPPORTED;
  return with_memory(handle, [&](const PhysicalMemory& memory) {
    if ((memory.handle_types & kFileDescriptor) == 0) return CUDA_ERROR_INVALID_VALUE;
    const int file = duplicate_shared(memory.file);
    if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    *static_cast<int*>(shareableHandle) = file;
    return CUDA_SUCCESS;
  });
}

// The descriptor itself stands in the place of a pointer.
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (shHandleType != kFileDescriptor) return CUDA_ERROR_NOT_SUPPORTED;
  const auto number = reinterpret_cast<std::uint64_t>(osHandle);
  if (number > 0x7FFFFFFF) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  std::uint64_t made = 0;
  const CUresult code = import_physical(static_cast<int>(number), &made);
  if (code == CUDA_SUCCESS) *handle = made;
  return code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
