// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;
}

// Counts without a lock on the bus, which would be a part of what is measured: what threads count at once may be lost,
// and the benchmarks that look have one. Not inlined: GCC takes the pair that it then sees for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  __atomic_store_n(&count, __atomic_load_n(&count, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
  if (void* const room = std::malloc(size == 0 ? 1 : size)) return room;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* room) noexcept { std::free(room); }
[[gnu::noinline]] void operator delete(void* room, std::size_t) noexcept { std::free(room); }

std::size_t nvmlab::bench::allocations() noexcept { return __atomic_load_n(&count, __ATOMIC_RELAXED); }
