// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/physical_memory.hpp"

#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/process/shared_memory.hpp"

namespace nvmlab::cuda {
namespace {

struct AddressRange {
  std::uint64_t address;
  std::uint64_t size;
};

constinit Pool<PhysicalMemory, ObjectKind::physical_memory> memories;
constinit Pool<AddressRange, ObjectKind::address_range> ranges;

void release_unused(std::uint64_t handle) {
  const PhysicalMemory& memory = *memories.find(handle);
  if (memory.references != 0 || memory.mappings != 0) return;
  close_shared(memory.file);
  if (!memory.imported) charge(memory.device, -static_cast<std::int64_t>(memory.size));
  memories.remove(handle);
}

}  // namespace

PhysicalMemory* find_physical(std::uint64_t handle) { return memories.find(handle); }

CUresult create_physical(std::uint32_t device, std::uint64_t size, std::uint32_t handle_types, std::uint64_t* out) {
  PhysicalMemory* const made = memories.create(out);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult code = charge(device, static_cast<std::int64_t>(size));
  if (code == CUDA_SUCCESS) {
    const VisibleDevice& at = process.devices[device];
    *made = {size, create_shared({size, at.gpu, at.mig, SharedKind::memory}), device, handle_types, 1, 0, false};
    if (made->file >= 0) return CUDA_SUCCESS;
    charge(device, -static_cast<std::int64_t>(size));
    code = CUDA_ERROR_OUT_OF_MEMORY;
  }
  memories.remove(*out);
  return code;
}

CUresult import_physical(int fd, std::uint64_t* out) {
  constexpr std::uint32_t kFileDescriptor = 1;
  SharedFacts facts{};
  std::uint32_t device = 0;
  if (!read_shared(fd, SharedKind::memory, &facts) || facts.size % kGranularity != 0) return CUDA_ERROR_INVALID_VALUE;
  if (!device_of_shared(facts.gpu, facts.mig, &device)) return CUDA_ERROR_INVALID_DEVICE;
  PhysicalMemory* const made = memories.create(out);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *made = {facts.size, duplicate_shared(fd), device, kFileDescriptor, 1, 0, true};
  if (made->file >= 0) return CUDA_SUCCESS;
  memories.remove(*out);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

void release_handle(std::uint64_t handle) {
  --memories.find(handle)->references;
  release_unused(handle);
}

void release_mapping(std::uint64_t handle) {
  --memories.find(handle)->mappings;
  release_unused(handle);
}

// As aligned as it is asked for: what lies before and behind it in a larger range goes back.
CUresult reserve_range(std::uint64_t size, std::uint64_t alignment, std::uint64_t hint, std::uint64_t* address) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  const std::uint64_t aligned = alignment < kGranularity ? kGranularity : alignment;
  if (size > kMost || aligned > kMost) return CUDA_ERROR_OUT_OF_MEMORY;
  std::uint64_t handle = 0;
  AddressRange* const made = ranges.create(&handle);
  const std::uint64_t whole = size + aligned;
  const auto begin =
      made == nullptr ? 0 : reinterpret_cast<std::uint64_t>(reserve_addresses(reinterpret_cast<void*>(hint), whole));
  if (begin == 0) {
    ranges.remove(handle);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *address = (begin + aligned - 1) / aligned * aligned;
  if (*address != begin) sys::unmap(reinterpret_cast<void*>(begin), *address - begin);
  sys::unmap(reinterpret_cast<void*>(*address + size), begin + whole - (*address + size));
  *made = {*address, size};
  return CUDA_SUCCESS;
}

CUresult free_range(std::uint64_t address, std::uint64_t size) {
  const AddressRange* const found =
      ranges.find_where([=](const AddressRange& each) { return each.address == address && each.size == size; });
  if (found == nullptr || has_mappings(address, size)) return CUDA_ERROR_INVALID_VALUE;
  sys::unmap(reinterpret_cast<void*>(address), size);
  ranges.remove_where([found](const AddressRange& each) { return &each == found; });
  return CUDA_SUCCESS;
}

bool in_range(std::uint64_t address, std::uint64_t size) {
  return ranges.find_where([=](const AddressRange& each) {
    return address >= each.address && size <= each.size && address - each.address <= each.size - size;
  }) != nullptr;
}

}  // namespace nvmlab::cuda
