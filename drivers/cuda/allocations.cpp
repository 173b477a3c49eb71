// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/allocations.hpp"

#include <cstring>

#include "engine/machine/system.hpp"

namespace nvmlab::cuda {
namespace {

// Sorted by address. Mapped as a whole and touched as it grows.
constexpr std::uint32_t kMostAllocations = 1 << 18;
Allocation* table = nullptr;
std::uint32_t count = 0;
std::uint64_t last_id = 0;

constexpr std::uint64_t kPage = 4096;

std::uint64_t in_pages(std::uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

bool charged(MemoryKind kind) { return kind != MemoryKind::host; }

// The first that begins behind this address.
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

void insert(const Allocation& made) {
  const std::uint32_t at = behind(made.address);
  std::memmove(&table[at + 1], &table[at], (count - at) * sizeof table[0]);
  table[at] = made;
  ++count;
}

void remove(std::uint32_t at) {
  const Allocation gone = table[at];
  sys::unmap(reinterpret_cast<void*>(gone.address), gone.mapped);
  --count;
  std::memmove(&table[at], &table[at + 1], (count - at) * sizeof table[0]);
  if (charged(gone.kind)) charge(gone.device, -static_cast<std::int64_t>(gone.mapped));
}

}  // namespace

CUresult allocate(CUcontext context, MemoryKind kind, std::uint64_t size, std::uint32_t flags, std::uint64_t* address) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  if (size > kMost) return CUDA_ERROR_OUT_OF_MEMORY;
  if (table == nullptr) table = static_cast<Allocation*>(sys::map_private(sizeof(Allocation) * kMostAllocations));
  if (table == nullptr || count + 1 >= kMostAllocations) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::uint32_t device = find_context(context)->device;
  const std::uint64_t mapped = in_pages(size);
  if (charged(kind)) {
    if (const CUresult code = charge(device, static_cast<std::int64_t>(mapped)); code != CUDA_SUCCESS) return code;
  }
  void* const memory = sys::map_private(mapped);
  if (memory == nullptr) {
    if (charged(kind)) charge(device, -static_cast<std::int64_t>(mapped));
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *address = reinterpret_cast<std::uint64_t>(memory);
  insert({*address, size, mapped, context, ++last_id, device, flags, kind});
  return CUDA_SUCCESS;
}

const Allocation* find_allocation(std::uint64_t address) {
  const std::uint32_t at = behind(address);
  if (at == 0) return nullptr;
  const Allocation& found = table[at - 1];
  return address - found.address < found.size ? &found : nullptr;
}

CUresult release_allocation(std::uint64_t address, bool of_host) {
  const Allocation* found = find_allocation(address);
  if (found == nullptr || found->address != address || (found->kind == MemoryKind::host) != of_host)
    return CUDA_ERROR_INVALID_VALUE;
  remove(static_cast<std::uint32_t>(found - table));
  return CUDA_SUCCESS;
}

void release_allocations_of(CUcontext context) {
  for (std::uint32_t i = count; i > 0; --i) {
    if (table[i - 1].context == context) remove(i - 1);
  }
}

bool on_device(std::uint64_t address, std::uint64_t size) {
  const Allocation* found = find_allocation(address);
  return found != nullptr && size <= found->size - (address - found->address);
}

}  // namespace nvmlab::cuda
