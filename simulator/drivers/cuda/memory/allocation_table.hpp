// SPDX-License-Identifier: Apache-2.0
// The allocations of the process, sorted by address, for those files that put them there and take them away. Under the
// lock of the process. Tests: tests/drivers/cuda/memory_test.cpp.
#pragma once

#include "drivers/cuda/memory/allocations.hpp"

namespace nvmlab::cuda {

std::uint32_t allocation_count();
Allocation& allocation_at(std::uint32_t at);
std::uint32_t behind(std::uint64_t address);  // the first that begins behind this address
bool has_room();
void insert(Allocation made);  // it gets its number
void remove(std::uint32_t at);
// At once, unless a kernel or copy runs: it may have looked the memory up before.
void unmap(const Allocation& gone);

// Calls each(piece) with the placed pieces of a range that check_placed() accepted.
template <class Each>
void for_placed(std::uint64_t address, std::uint64_t size, const Each& each) {
  for (std::uint32_t at = behind(address - 1); at < allocation_count() && allocation_at(at).address - address < size;
       ++at)
    each(allocation_at(at));
}

}  // namespace nvmlab::cuda
