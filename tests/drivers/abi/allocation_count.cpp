// SPDX-License-Identifier: Apache-2.0
// See allocation_count.hpp. glibc exports its own functions under a second name for exactly this use.
#include "tests/drivers/abi/allocation_count.hpp"

#include <atomic>
#include <cstddef>

namespace {
std::atomic<unsigned long> allocations = 0;
}

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) {
  ++allocations;
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
}

unsigned long nvmlab::abi_test::allocation_count() { return allocations; }
