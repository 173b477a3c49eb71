// SPDX-License-Identifier: Apache-2.0
//
// What a process has allocated, by address: host memory stands behind device memory, at the same address, so that one
// address means one byte to host and GPU. Copies look their bounds up here. All under the lock of the process. Tests:
// tests/drivers/cuda/memory_test.cpp.
#pragma once

#include "drivers/cuda/contexts.hpp"

namespace nvmlab::cuda {

// Registered memory is the program's own; the others are mapped here.
enum class MemoryKind : std::uint32_t { device, managed, host, registered };

struct Allocation {
  std::uint64_t address;
  std::uint64_t size;    // as it was asked for
  std::uint64_t mapped;  // what is mapped and, on a device, charged
  CUcontext context;
  std::uint64_t id;
  std::uint32_t device;
  std::uint32_t flags;
  MemoryKind kind;
  CUmemoryPool pool;  // that it was taken from; null: none
  bool leaving;       // a stream was asked to free it
};

CUresult allocate(CUcontext context, MemoryKind kind, std::uint64_t size, std::uint32_t flags, std::uint64_t* address);

// The same from a pool of the context's device.
CUresult allocate_from_pool(CUcontext context, CUmemoryPool pool, std::uint64_t size, std::uint64_t* address);
// Memory of the program becomes known, and unknown again.
CUresult register_memory(CUcontext context, std::uint64_t address, std::uint64_t size, std::uint32_t flags);
CUresult unregister_memory(std::uint64_t address);

// The one that holds this address; null: none does.
const Allocation* find_allocation(std::uint64_t address);

// CUDA_ERROR_INVALID_VALUE where none begins there.
CUresult release_allocation(std::uint64_t address, bool of_host);
void release_allocations_of(CUcontext context);
// Of the device, beginning there, and not asked to be freed yet; null: there is none.
Allocation* find_to_free(std::uint64_t address);
// The one that a stream was asked to free, and has come to.
void release_queued_allocation(std::uint64_t address);
// What was released while work ran that may still look at it is unmapped when nothing runs.
void unmap_released();

// Whether all of these bytes are device memory.
bool on_device(std::uint64_t address, std::uint64_t size);

}  // namespace nvmlab::cuda
