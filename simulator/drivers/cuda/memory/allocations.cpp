// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/allocations.hpp"

#include <cstring>

#include "drivers/cuda/memory/allocation_table.hpp"
#include "drivers/cuda/memory/graph_allocations.hpp"
#include "drivers/cuda/memory/managed_hints.hpp"
#include "drivers/cuda/memory/memory_pools.hpp"
#include "drivers/cuda/memory/physical_memory.hpp"
#include "drivers/cuda/process/shared_memory.hpp"
#include "drivers/cuda/streams/released_memory.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

// Sorted by address. Mapped as a whole and touched as it grows.
constexpr std::uint32_t kMostAllocations = 1 << 18;
Allocation* table = nullptr;
std::uint32_t count = 0;
std::uint64_t last_id = 0;

constexpr std::uint64_t kPage = 4096;

std::uint64_t in_pages(std::uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

bool charged(MemoryKind kind) { return kind == MemoryKind::device || kind == MemoryKind::managed; }

}  // namespace

void unmap(const Allocation& gone) {
  if (gone.kind != MemoryKind::registered) unmap_when_idle(gone.address, gone.mapped);
}

std::uint32_t allocation_count() { return count; }
Allocation& allocation_at(std::uint32_t at) { return table[at]; }

std::uint32_t behind(std::uint64_t address) {
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (table[middle].address <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void insert(Allocation made) {
  made.id = ++last_id;
  const std::uint32_t at = behind(made.address);
  std::memmove(&table[at + 1], &table[at], (count - at) * sizeof table[0]);
  table[at] = made;
  ++count;
}

void remove(std::uint32_t at) {
  const Allocation gone = table[at];
  if (gone.kind == MemoryKind::placed) {
    vacate_addresses(reinterpret_cast<void*>(gone.address), gone.mapped);
    release_mapping(gone.backing);
  } else if (gone.from_graph == 0) {
    unmap(gone);
  }
  if (gone.file != 0) close_shared(gone.file);
  if (gone.kind == MemoryKind::managed) forget_hints(gone.address, gone.address + gone.mapped);
  --count;
  std::memmove(&table[at], &table[at + 1], (count - at) * sizeof table[0]);
  if (gone.from_graph != 0) {
    end_graph_allocation(gone.from_graph);
  } else if (gone.pool != nullptr) {
    empty_in_pool(gone.pool, gone.mapped, gone.offset);
    give_to_pool(gone.pool, gone.mapped);
  } else if (charged(gone.kind)) {
    charge(gone.device, -static_cast<std::int64_t>(gone.mapped));
  }
}

bool has_room() {
  if (table == nullptr) table = static_cast<Allocation*>(sys::map_private(sizeof(Allocation) * kMostAllocations));
  return table != nullptr && count + 1 < kMostAllocations;
}

namespace {

// Counts it where it belongs, or gives it back.
CUresult take(const Allocation& of) {
  if (of.pool != nullptr) return take_from_pool(of.pool, of.mapped);
  return charged(of.kind) ? charge(of.device, static_cast<std::int64_t>(of.mapped)) : CUDA_SUCCESS;
}
void give_back(const Allocation& of) {
  if (of.pool != nullptr) return give_to_pool(of.pool, of.mapped);
  if (charged(of.kind)) charge(of.device, -static_cast<std::int64_t>(of.mapped));
}

CUresult make(Allocation made, std::uint64_t* address) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  if (made.size == 0) return CUDA_ERROR_INVALID_VALUE;
  if (made.size > kMost || !has_room()) return CUDA_ERROR_OUT_OF_MEMORY;
  made.device = find_context(made.context)->device;
  made.mapped = in_pages(made.size);
  if (const CUresult code = take(made); code != CUDA_SUCCESS) return code;
  void* const memory =
      made.pool == nullptr ? sys::map_private(made.mapped) : map_from_pool(made.pool, made.mapped, &made.offset);
  if (memory == nullptr) {
    give_back(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  made.address = *address = reinterpret_cast<std::uint64_t>(memory);
  insert(made);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult allocate(CUcontext context, MemoryKind kind, std::uint64_t size, std::uint32_t flags, std::uint64_t* address) {
  Allocation asked{};
  asked.context = context;
  asked.kind = kind;
  asked.size = size;
  asked.flags = flags;
  return make(asked, address);
}

CUresult allocate_from_pool(CUcontext context, CUmemoryPool pool, std::uint64_t size, std::uint64_t* address) {
  Allocation asked{};
  asked.context = context;
  asked.kind = MemoryKind::device;
  asked.size = size;
  asked.pool = pool;
  return make(asked, address);
}

CUresult register_memory(CUcontext context, std::uint64_t address, std::uint64_t size, std::uint32_t flags) {
  if (address == 0 || size == 0 || address + size < address) return CUDA_ERROR_INVALID_VALUE;
  if (!has_room()) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::uint32_t at = behind(address);
  const bool in_one_before = at > 0 && table[at - 1].address + table[at - 1].size > address;
  if (in_one_before || (at < count && table[at].address < address + size))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  Allocation made{};
  made.address = address;
  made.size = size;
  made.context = context;
  made.device = find_context(context)->device;
  made.flags = flags;
  made.kind = MemoryKind::registered;
  insert(made);
  return CUDA_SUCCESS;
}

CUresult unregister_memory(std::uint64_t address) {
  const Allocation* found = find_allocation(address);
  if (found == nullptr || found->address != address || found->kind != MemoryKind::registered)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  remove(static_cast<std::uint32_t>(found - table));
  return CUDA_SUCCESS;
}

const Allocation* find_allocation(std::uint64_t address) {
  const std::uint32_t at = behind(address);
  const Allocation* const found = at == 0 ? nullptr : &table[at - 1];
  const bool there = found != nullptr && address - found->address < found->size;
  if (!there) return find_planned(address);
  return found->kind == MemoryKind::placed && found->access == 0 ? nullptr : found;
}

CUresult release_allocation(std::uint64_t address, bool of_host) {
  const Allocation* found = of_host ? find_allocation(address) : find_to_free(address);
  if (found == nullptr || found->address != address || (of_host && found->kind != MemoryKind::host))
    return CUDA_ERROR_INVALID_VALUE;
  remove(static_cast<std::uint32_t>(found - table));
  return CUDA_SUCCESS;
}

Allocation* find_to_free(std::uint64_t address) {
  const Allocation* found = find_allocation(address);
  if (found == nullptr || found->address != address || !charged(found->kind) || found->leaving) return nullptr;
  return &table[found - table];
}

void release_queued_allocation(std::uint64_t address) {
  const Allocation* found = find_allocation(address);
  if (found == nullptr || found->address != address) return;
  if (found->users > 1) {  // a later launch has it again
    --table[found - table].users;
  } else if (found->leaving) {
    remove(static_cast<std::uint32_t>(found - table));
  }
}

void release_allocations_of(CUcontext context) {
  for (std::uint32_t i = count; i > 0; --i) {
    // Memory that a program has placed is no context's.
    if (table[i - 1].context == context && table[i - 1].kind != MemoryKind::placed) remove(i - 1);
  }
}

bool on_device(std::uint64_t address, std::uint64_t size) {
  const Allocation* found = find_allocation(address);
  if (found == nullptr) return false;
  std::uint64_t rest = found->size - (address - found->address);
  while (size > rest && found->kind == MemoryKind::placed) {  // pieces side by side are one memory
    size -= rest;
    found = find_allocation(found->address + found->size);
    if (found == nullptr || found->kind != MemoryKind::placed) return false;
    rest = found->size;
  }
  return size <= rest;
}

}  // namespace nvmlab::cuda
