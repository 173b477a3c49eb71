// SPDX-License-Identifier: Apache-2.0
//
// Memory pools: what stream-ordered allocation takes from. A pool reserves memory of its device and gives it back when
// it holds more than its threshold; what is freed and not given back is taken first. Only sizes are kept: memory of the
// host is mapped for as long as an allocation lives. Under the lock of the process. Tests:
// tests/drivers/cuda/pools_test.cpp.
#pragma once

#include "drivers/cuda/contexts.hpp"

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
};

// Null for a handle that is none.
PoolState* find_pool(CUmemoryPool handle);
CUresult create_pool(std::uint32_t device, std::uint32_t handle_types, std::uint64_t most, CUmemoryPool* out);
void destroy_pool(CUmemoryPool handle);
// Of a device: the one that it has from the beginning, and the one that cuMemAllocAsync takes from. Null: no memory.
CUmemoryPool default_pool(std::uint32_t device);
CUmemoryPool current_pool(std::uint32_t device);
void set_current_pool(std::uint32_t device, CUmemoryPool handle);

// So many bytes for an allocation, and back.
CUresult take_from_pool(CUmemoryPool handle, std::uint64_t bytes);
void give_to_pool(CUmemoryPool handle, std::uint64_t bytes);
// Gives back what is not used, down to so many reserved bytes.
void trim_pool(PoolState& pool, std::uint64_t least);
void trim_pools_of(std::uint32_t device);

}  // namespace nvmlab::cuda
