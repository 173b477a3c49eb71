// SPDX-License-Identifier: Apache-2.0
//
// What a process has allocated, by address: host memory stands behind device memory, at the same address, so that one
// address means one byte to host and GPU. Copies look their bounds up here. All under the lock of the process. Tests:
// tests/drivers/cuda/memory_test.cpp.
#pragma once

#include "drivers/cuda/contexts/contexts.hpp"

namespace nvmlab::cuda {

// Registered memory is the program's own; the others are mapped here. Placed memory is a piece of physical_memory.hpp
// in a range of the program, opened memory that of another process.
enum class MemoryKind : std::uint32_t { device, managed, host, registered, placed, opened };

struct Allocation {
  std::uint64_t address;
  std::uint64_t size;    // as it was asked for
  std::uint64_t mapped;  // what is mapped and, on a device, charged
  CUcontext context;
  std::uint64_t id;
  std::uint32_t device;
  std::uint32_t flags;
  MemoryKind kind;
  CUmemoryPool pool;         // that it was taken from; null: none
  std::uint64_t offset;      // in the pool's file, where it has one
  bool leaving;              // a stream was asked to free it
  int file;                  // of memory that another process may open, or has made: a descriptor; 0: none
  std::uint32_t users;       // of opened memory: how often it was opened; of a graph's: launches that it has to outlive
  std::uint64_t backing;     // of placed memory: its handle
  std::uint64_t access;      // of placed memory: bit N: device N may reach it
  std::uint64_t from_graph;  // of a graph's: its handle (graph_allocations.hpp)
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

// Placed memory: into a range where nothing lies, out of reach of all; out again, of whole pieces; and the pieces of a
// range, which must fill it (CUDA_ERROR_INVALID_VALUE).
CUresult place_memory(CUcontext context, std::uint64_t address, std::uint64_t size, std::uint64_t backing);
CUresult take_out(std::uint64_t address, std::uint64_t size);
CUresult check_placed(std::uint64_t address, std::uint64_t size);
bool has_mappings(std::uint64_t address, std::uint64_t size);
Allocation* find_placed(std::uint64_t address);

// Device memory becomes a file that other processes open; while nothing runs.
CUresult share_allocation(std::uint64_t address, const Allocation** out);
// The descriptor becomes the allocation's where it succeeds.
CUresult open_allocation(CUcontext context, int file, std::uint64_t* address);
CUresult close_allocation(std::uint64_t address);
// Of a pool that was imported.
CUresult open_pooled(CUcontext context, CUmemoryPool pool, std::uint64_t offset, std::uint64_t size,
                     std::uint64_t* address);

// Whether all of these bytes are device memory.
bool on_device(std::uint64_t address, std::uint64_t size);

}  // namespace nvmlab::cuda
