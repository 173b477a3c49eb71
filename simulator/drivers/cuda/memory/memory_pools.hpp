// SPDX-License-Identifier: Apache-2.0
//
// Memory pools: what stream-ordered allocation takes from. A pool reserves memory of its device and gives it back when
// it holds more than its threshold; what is freed and not given back is taken first. Only sizes are kept: memory of the
// host is mapped for as long as an allocation lives. One that other processes may import has a file, in which each
// allocation has bytes of its own. Under the lock of the process. Tests: tests/drivers/cuda/pools_test.cpp,
// ipc_pools_test.cpp.
#pragma once

#include "drivers/cuda/contexts/contexts.hpp"

namespace nvmlab::cuda {

struct PoolState {
  std::uint32_t device;
  bool is_default;
  bool destroyed;  // it goes with its last allocation
  std::uint32_t handle_types;
  int reuse[3];             // by events, when it happens so, by dependencies of its own; kept and told
  std::uint64_t most;       // bytes; 0: as many as the device has
  std::uint64_t threshold;  // of what is kept
  std::uint64_t reserved;
  std::uint64_t reserved_high;
  std::uint64_t used;
  std::uint64_t used_high;
  int file;            // shared_memory.hpp; -1: none
  std::uint64_t next;  // byte of it that was never given away
  bool imported;       // nothing is allocated from it, and its memory is counted where it was made
};

// Null for a handle that is none.
PoolState* find_pool(CUmemoryPool handle);
CUresult create_pool(std::uint32_t device, std::uint32_t handle_types, std::uint64_t most, CUmemoryPool* out);
// From a descriptor, which stays the caller's.
CUresult import_pool(int fd, CUmemoryPool* out);
void destroy_pool(CUmemoryPool handle);
// Of a device: the one that it has from the beginning, and the one that cuMemAllocAsync takes from. Null: no memory.
CUmemoryPool default_pool(std::uint32_t device);
CUmemoryPool current_pool(std::uint32_t device);
void set_current_pool(std::uint32_t device, CUmemoryPool handle);

// So many bytes for an allocation, and back.
CUresult take_from_pool(CUmemoryPool handle, std::uint64_t bytes);
void give_to_pool(CUmemoryPool handle, std::uint64_t bytes);
// Where the memory of an allocation lies: mapped, at this byte of the pool's file; null: no memory.
void* map_from_pool(CUmemoryPool handle, std::uint64_t bytes, std::uint64_t* offset);
void empty_in_pool(CUmemoryPool handle, std::uint64_t bytes, std::uint64_t offset);

// An allocation as another process is told of it, and whether it can be one of this pool.
struct PooledTicket {
  std::uint64_t inode;
  std::uint64_t device;
  std::uint64_t offset;
  std::uint64_t size;
};
bool make_pooled_ticket(CUmemoryPool handle, std::uint64_t offset, std::uint64_t size, PooledTicket* out);
bool is_of_pool(const PoolState& pool, const PooledTicket& ticket);
// Gives back what is not used, down to so many reserved bytes.
void trim_pool(PoolState& pool, std::uint64_t least);
void trim_pools_of(std::uint32_t device);

}  // namespace nvmlab::cuda
