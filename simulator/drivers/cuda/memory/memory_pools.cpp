// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/memory_pools.hpp"

#include "drivers/cuda/memory/physical_memory.hpp"
#include "drivers/cuda/process/shared_memory.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<PoolState, ObjectKind::pool> pools;
CUmemoryPool default_pools[kMaxVisibleDevices];
CUmemoryPool current_pools[kMaxVisibleDevices];

std::uint64_t number_of(CUmemoryPool handle) { return reinterpret_cast<std::uint64_t>(handle); }

// Also one that was destroyed and is still used.
PoolState* known_pool(CUmemoryPool handle) { return pools.find(number_of(handle)); }

// More than a process allocates from it, ever; only what is written takes memory.
constexpr std::uint64_t kFileBytes = std::uint64_t{1} << 46;

void forget_pool(CUmemoryPool handle) {
  close_shared(known_pool(handle)->file);
  pools.remove(number_of(handle));
}

std::uint64_t higher(std::uint64_t a, std::uint64_t b) { return a > b ? a : b; }

}  // namespace

PoolState* find_pool(CUmemoryPool handle) {
  PoolState* const found = known_pool(handle);
  return found == nullptr || found->destroyed ? nullptr : found;
}

CUresult create_pool(std::uint32_t device, std::uint32_t handle_types, std::uint64_t most, CUmemoryPool* out) {
  std::uint64_t handle = 0;
  PoolState* const made = pools.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->device = device;
  made->handle_types = handle_types;
  made->most = most;
  made->file = -1;
  if (handle_types != 0) {
    const VisibleDevice& at = process.devices[device];
    made->file = create_shared({kFileBytes, at.gpu, at.mig, SharedKind::pool});
    if (made->file < 0) {
      pools.remove(handle);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  for (int& each : made->reuse)
    each = 1;
  *out = reinterpret_cast<CUmemoryPool>(handle);
  return CUDA_SUCCESS;
}

CUresult import_pool(int fd, CUmemoryPool* out) {
  SharedFacts facts{};
  std::uint32_t device = 0;
  if (!read_shared(fd, SharedKind::pool, &facts) || facts.size != kFileBytes) return CUDA_ERROR_INVALID_VALUE;
  if (!device_of_shared(facts.gpu, facts.mig, &device)) return CUDA_ERROR_INVALID_DEVICE;
  CUmemoryPool made = nullptr;
  if (const CUresult code = create_pool(device, 0, 0, &made); code != CUDA_SUCCESS) return code;
  PoolState& pool = *known_pool(made);
  pool.imported = true;
  pool.file = duplicate_shared(fd);
  if (pool.file < 0) {
    pools.remove(number_of(made));
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = made;
  return CUDA_SUCCESS;
}

void destroy_pool(CUmemoryPool handle) {
  PoolState* const pool = find_pool(handle);
  if (pool == nullptr) return;
  if (current_pools[pool->device] == handle) current_pools[pool->device] = nullptr;
  trim_pool(*pool, 0);
  pool->threshold = 0;
  pool->destroyed = true;
  if (pool->used == 0) forget_pool(handle);
}

CUmemoryPool default_pool(std::uint32_t device) {
  CUmemoryPool& pool = default_pools[device];
  if (pool == nullptr && create_pool(device, 0, 0, &pool) == CUDA_SUCCESS) find_pool(pool)->is_default = true;
  return pool;
}

CUmemoryPool current_pool(std::uint32_t device) {
  return current_pools[device] == nullptr ? default_pool(device) : current_pools[device];
}

void set_current_pool(std::uint32_t device, CUmemoryPool handle) { current_pools[device] = handle; }

CUresult take_from_pool(CUmemoryPool handle, std::uint64_t bytes) {
  PoolState* const pool = find_pool(handle);
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (pool->imported) {
    pool->used += bytes;
    return CUDA_SUCCESS;
  }
  const std::uint64_t needed = higher(pool->reserved, pool->used + bytes);
  if (pool->most != 0 && pool->used + bytes > pool->most) return CUDA_ERROR_OUT_OF_MEMORY;
  if (const CUresult code = charge(pool->device, static_cast<std::int64_t>(needed - pool->reserved));
      code != CUDA_SUCCESS)
    return code;
  pool->reserved = needed;
  pool->used += bytes;
  pool->reserved_high = higher(pool->reserved_high, pool->reserved);
  pool->used_high = higher(pool->used_high, pool->used);
  return CUDA_SUCCESS;
}

void give_to_pool(CUmemoryPool handle, std::uint64_t bytes) {
  PoolState* const pool = known_pool(handle);
  if (pool == nullptr) return;
  pool->used -= bytes;
  trim_pool(*pool, pool->threshold);
  if (pool->destroyed && pool->used == 0) forget_pool(handle);
}

void* map_from_pool(CUmemoryPool handle, std::uint64_t bytes, std::uint64_t* offset) {
  PoolState& pool = *known_pool(handle);
  if (pool.file < 0) return sys::map_private(bytes);
  if (bytes > kFileBytes - pool.next) return nullptr;
  *offset = pool.next;
  pool.next += bytes;
  return map_shared_memory(nullptr, pool.file, bytes, *offset);
}

void empty_in_pool(CUmemoryPool handle, std::uint64_t bytes, std::uint64_t offset) {
  const PoolState* const pool = known_pool(handle);
  if (pool != nullptr && pool->file >= 0 && !pool->imported) empty_shared(pool->file, offset, bytes);
}

bool make_pooled_ticket(CUmemoryPool handle, std::uint64_t offset, std::uint64_t size, PooledTicket* out) {
  const PoolState* const pool = known_pool(handle);
  SharedTicket file{};
  if (pool == nullptr || pool->imported || pool->file < 0 || !make_ticket(pool->file, &file)) return false;
  *out = {file.inode, file.device, offset, size};
  return true;
}

bool is_of_pool(const PoolState& pool, const PooledTicket& ticket) {
  constexpr std::uint64_t kPage = 4096;
  SharedTicket file{};
  return pool.imported && make_ticket(pool.file, &file) && file.inode == ticket.inode && file.device == ticket.device &&
         ticket.size != 0 && ticket.offset % kPage == 0 && ticket.offset < kFileBytes &&
         ticket.size <= kFileBytes - ticket.offset;
}

void trim_pool(PoolState& pool, std::uint64_t least) {
  if (pool.imported) return;
  const std::uint64_t kept = higher(pool.used, least < pool.reserved ? least : pool.reserved);
  charge(pool.device, -static_cast<std::int64_t>(pool.reserved - kept));
  pool.reserved = kept;
}

void trim_pools_of(std::uint32_t device) {
  pools.remove_where([device](PoolState& pool) {
    if (pool.device == device) trim_pool(pool, 0);
    return false;
  });
}

}  // namespace nvmlab::cuda
