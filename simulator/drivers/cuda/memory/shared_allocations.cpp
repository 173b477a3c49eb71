// SPDX-License-Identifier: Apache-2.0
// Allocations that lie in files: pieces in a range of the program, and memory that two processes have.
#include "drivers/cuda/memory/allocation_table.hpp"
#include "drivers/cuda/memory/memory_pools.hpp"
#include "drivers/cuda/memory/physical_memory.hpp"
#include "drivers/cuda/process/shared_memory.hpp"

namespace nvmlab::cuda {

CUresult place_memory(CUcontext context, std::uint64_t address, std::uint64_t size, std::uint64_t backing) {
  PhysicalMemory& memory = *find_physical(backing);
  if (has_mappings(address, size)) return CUDA_ERROR_INVALID_VALUE;
  if (!has_room() || map_shared_memory(reinterpret_cast<void*>(address), memory.file, size) == nullptr)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation made{};
  made.address = address;
  made.size = made.mapped = size;
  made.context = context;
  made.device = memory.device;
  made.kind = MemoryKind::placed;
  made.backing = backing;
  ++memory.mappings;
  insert(made);
  return CUDA_SUCCESS;
}

CUresult check_placed(std::uint64_t address, std::uint64_t size) {
  for (std::uint64_t done = 0; done < size;) {
    const Allocation* const found = find_placed(address + done);
    if (found == nullptr || found->address != address + done || found->size > size - done)
      return CUDA_ERROR_INVALID_VALUE;
    done += found->size;
  }
  return CUDA_SUCCESS;
}

CUresult take_out(std::uint64_t address, std::uint64_t size) {
  const CUresult code = check_placed(address, size);
  while (code == CUDA_SUCCESS && has_mappings(address, size))
    remove(behind(address - 1));
  return code;
}

bool has_mappings(std::uint64_t address, std::uint64_t size) {
  const std::uint32_t at = behind(address + size - 1);
  return at > 0 && allocation_at(at - 1).address + allocation_at(at - 1).mapped > address;
}

Allocation* find_placed(std::uint64_t address) {
  const std::uint32_t at = behind(address);
  if (at == 0) return nullptr;
  Allocation& found = allocation_at(at - 1);
  return found.kind == MemoryKind::placed && address - found.address < found.size ? &found : nullptr;
}

CUresult share_allocation(std::uint64_t address, const Allocation** out) {
  *out = find_allocation(address);
  if (*out == nullptr || (*out)->kind != MemoryKind::device || (*out)->pool != nullptr || (*out)->leaving)
    return CUDA_ERROR_INVALID_VALUE;
  Allocation& found = *find_to_free((*out)->address);
  if (found.file != 0) return CUDA_SUCCESS;
  const VisibleDevice& device = process.devices[found.device];
  const int file = create_shared({found.mapped, device.gpu, device.mig, SharedKind::memory});
  if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!move_to_shared(reinterpret_cast<void*>(found.address), file, found.mapped)) {
    close_shared(file);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  found.file = file;
  return CUDA_SUCCESS;
}

CUresult open_allocation(CUcontext context, int file, std::uint64_t* address) {
  SharedFacts facts{};
  Allocation made{};
  if (!read_shared(file, SharedKind::memory, &facts)) return CUDA_ERROR_INVALID_HANDLE;
  for (std::uint32_t i = 0; i < allocation_count(); ++i) {
    Allocation& each = allocation_at(i);
    if (each.kind != MemoryKind::opened || !same_shared(each.file, file)) continue;
    ++each.users;
    close_shared(file);
    *address = each.address;
    return CUDA_SUCCESS;
  }
  if (!device_of_shared(facts.gpu, facts.mig, &made.device)) return CUDA_ERROR_INVALID_DEVICE;
  void* const memory = has_room() ? map_shared_memory(nullptr, file, facts.size) : nullptr;
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made.address = *address = reinterpret_cast<std::uint64_t>(memory);
  made.size = made.mapped = facts.size;
  made.context = context;
  made.kind = MemoryKind::opened;
  made.file = file;
  made.users = 1;
  insert(made);
  return CUDA_SUCCESS;
}

CUresult open_pooled(CUcontext context, CUmemoryPool pool, std::uint64_t offset, std::uint64_t size,
                     std::uint64_t* address) {
  constexpr std::uint64_t kPage = 4096;
  const PoolState& from = *find_pool(pool);
  Allocation made{};
  made.size = size;
  made.mapped = (size + kPage - 1) / kPage * kPage;
  void* const memory = has_room() ? map_shared_memory(nullptr, from.file, made.mapped, offset) : nullptr;
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made.address = *address = reinterpret_cast<std::uint64_t>(memory);
  made.context = context;
  made.device = from.device;
  made.kind = MemoryKind::device;
  made.pool = pool;
  made.offset = offset;
  insert(made);
  return take_from_pool(pool, made.mapped);
}

CUresult close_allocation(std::uint64_t address) {
  const std::uint32_t at = behind(address);
  if (at == 0) return CUDA_ERROR_INVALID_VALUE;
  Allocation& found = allocation_at(at - 1);
  if (found.address != address || found.kind != MemoryKind::opened) return CUDA_ERROR_INVALID_VALUE;
  if (--found.users == 0) remove(at - 1);
  return CUDA_SUCCESS;
}

}  // namespace nvmlab::cuda
