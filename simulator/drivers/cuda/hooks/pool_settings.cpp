// SPDX-License-Identifier: Apache-2.0
// Pools that a program creates, and what it asks of them. Tests: tests/drivers/cuda/pools_test.cpp.
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/memory/memory_pools.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kPinned = 1;          // the only type of allocation there
constexpr int kOnDevice = 1;        // of a location
constexpr int kFileDescriptor = 1;  // of a handle
constexpr unsigned kNoAccess = 0;
constexpr unsigned kReadAndWrite = 3;

template <class Body>
CUresult with_pool(CUmemoryPool handle, const Body& body) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  PoolState* const pool = find_pool(handle);
  return pool == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*pool);
}

// A pool of a device by its ordinal.
CUresult pool_of(CUmemoryPool* out, CUdevice device, CUmemoryPool (*which)(std::uint32_t)) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const Locked lock;
  *out = which(static_cast<std::uint32_t>(device));
  return *out == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult pool_at(CUmemoryPool* out, const CUmemLocation* location, int type, CUmemoryPool (*which)(std::uint32_t)) {
  if (location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (type != kPinned || location->type != kOnDevice) return CUDA_ERROR_NOT_SUPPORTED;
  return pool_of(out, location->id, which);
}

// Attributes 1 to 3 are flags of the program, 4 its threshold; 5 to 8 are told, and what was highest begins anew at 0.
constexpr int kLastFlag = 3;
constexpr int kThreshold = 4;
constexpr int kLastAttribute = 8;

std::uint64_t PoolState::*member_of(int attribute) {
  constexpr std::uint64_t PoolState::*kMembers[] = {&PoolState::threshold, &PoolState::reserved,
                                                    &PoolState::reserved_high, &PoolState::used, &PoolState::used_high};
  return kMembers[attribute - kThreshold];
}

bool is_high(int attribute) { return attribute == 6 || attribute == 8; }

}  // namespace

namespace hooks {

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  if (pool == nullptr || poolProps == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (poolProps->allocType != kPinned) return CUDA_ERROR_INVALID_VALUE;
  if ((poolProps->handleTypes & ~kFileDescriptor) != 0 || poolProps->location.type != kOnDevice)
    return CUDA_ERROR_NOT_SUPPORTED;
  const int device = poolProps->location.id;
  if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const Locked lock;
  return create_pool(static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(poolProps->handleTypes),
                     poolProps->maxSize, pool);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return with_pool(pool, [pool](const PoolState& state) {
    if (state.is_default) return CUDA_ERROR_INVALID_VALUE;
    destroy_pool(pool);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  return with_pool(pool, [minBytesToKeep](PoolState& state) {
    trim_pool(state, minBytesToKeep);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  if (value == nullptr || attr < 1 || attr > kLastAttribute) return CUDA_ERROR_INVALID_VALUE;
  return with_pool(pool, [&](const PoolState& state) {
    if (attr <= kLastFlag) {
      *static_cast<int*>(value) = state.reuse[attr - 1];
    } else {
      *static_cast<cuuint64_t*>(value) = state.*member_of(attr);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  if (value == nullptr || attr < 1 || attr > kLastAttribute) return CUDA_ERROR_INVALID_VALUE;
  return with_pool(pool, [&](PoolState& state) {
    if (attr <= kLastFlag) {
      state.reuse[attr - 1] = *static_cast<const int*>(value) != 0 ? 1 : 0;
      return CUDA_SUCCESS;
    }
    const cuuint64_t number = *static_cast<const cuuint64_t*>(value);
    if (attr != kThreshold && (!is_high(attr) || number != 0)) return CUDA_ERROR_INVALID_VALUE;
    state.*member_of(attr) = attr == kThreshold ? number : state.*member_of(attr - 1);
    return CUDA_SUCCESS;
  });
}

// Memory of a pool is reached by its device, and by others where two GPUs reach each other at all: by address.
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
  if (map == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  return with_pool(pool, [&](const PoolState& state) {
    for (size_t i = 0; i < count; ++i) {
      if (map[i].location.type != kOnDevice || (map[i].flags != kNoAccess && map[i].flags != kReadAndWrite))
        return CUDA_ERROR_INVALID_VALUE;
      if (find_device(map[i].location.id) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
      const bool own = map[i].location.id == static_cast<int>(state.device);
      if (own && map[i].flags == kNoAccess) return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool, CUmemLocation* location) {
  if (flags == nullptr || location == nullptr || location->type != kOnDevice) return CUDA_ERROR_INVALID_VALUE;
  if (find_device(location->id) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  return with_pool(memPool, [&](const PoolState& state) {
    *flags = location->id == static_cast<int>(state.device) ? kReadAndWrite : kNoAccess;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  return pool_of(pool_out, dev, default_pool);
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) { return pool_of(pool, dev, current_pool); }
CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location, CUmemAllocationType type) {
  return pool_at(pool_out, location, type, default_pool);
}
CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return pool_at(pool, location, type, current_pool);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  return with_pool(pool, [&](const PoolState& state) {
    if (state.imported || state.device != static_cast<std::uint32_t>(dev)) return CUDA_ERROR_INVALID_VALUE;
    set_current_pool(state.device, pool);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  if (location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (type != kPinned || location->type != kOnDevice) return CUDA_ERROR_NOT_SUPPORTED;
  return cuDeviceSetMemPool(location->id, pool);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
