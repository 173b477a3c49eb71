// SPDX-License-Identifier: Apache-2.0
//
// Memory that is made, mapped and shared apart from each other: ranges of addresses, memory of a device by a handle,
// and what lies where (allocations.hpp). Memory is counted against its device for as long as a handle or a mapping has
// it; memory of another process is counted there. Under the lock of the process. Tests:
// tests/drivers/cuda/virtual_memory_test.cpp.
#pragma once

#include "drivers/cuda/contexts/contexts.hpp"

namespace nvmlab::cuda {

inline constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;

struct PhysicalMemory {
  std::uint64_t size;
  int file;  // shared_memory.hpp
  std::uint32_t device;
  std::uint32_t handle_types;
  std::uint32_t references;  // handles
  std::uint32_t mappings;
  bool imported;
};

PhysicalMemory* find_physical(std::uint64_t handle);
CUresult create_physical(std::uint32_t device, std::uint64_t size, std::uint32_t handle_types, std::uint64_t* out);
// From a descriptor, which stays the caller's.
CUresult import_physical(int fd, std::uint64_t* out);
// One handle or mapping less; the last takes the memory with it.
void release_handle(std::uint64_t handle);
void release_mapping(std::uint64_t handle);

CUresult reserve_range(std::uint64_t size, std::uint64_t alignment, std::uint64_t hint, std::uint64_t* address);
CUresult free_range(std::uint64_t address, std::uint64_t size);
// Whether one reserved range has all of it.
bool in_range(std::uint64_t address, std::uint64_t size);

}  // namespace nvmlab::cuda
