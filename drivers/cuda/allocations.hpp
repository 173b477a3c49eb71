// SPDX-License-Identifier: Apache-2.0
//
// What a process has allocated, by address: host memory stands behind device memory, at the same address, so that one
// address means one byte to host and GPU. Copies look their bounds up here. All under the lock of the process. Tests:
// tests/drivers/cuda/memory_test.cpp.
#pragma once

#include "drivers/cuda/contexts.hpp"

namespace nvmlab::cuda {

enum class MemoryKind : std::uint32_t { device, managed, host };

struct Allocation {
  std::uint64_t address;
  std::uint64_t size;    // as it was asked for
  std::uint64_t mapped;  // what is mapped and, on a device, charged
  CUcontext context;
  std::uint64_t id;
  std::uint32_t device;
  std::uint32_t flags;
  MemoryKind kind;
};

CUresult allocate(CUcontext context, MemoryKind kind, std::uint64_t size, std::uint32_t flags, std::uint64_t* address);

// The one that holds this address; null: none does.
const Allocation* find_allocation(std::uint64_t address);

// CUDA_ERROR_INVALID_VALUE where none begins there.
CUresult release_allocation(std::uint64_t address, bool of_host);
void release_allocations_of(CUcontext context);

// Whether all of these bytes are device memory.
bool on_device(std::uint64_t address, std::uint64_t size);

}  // namespace nvmlab::cuda
