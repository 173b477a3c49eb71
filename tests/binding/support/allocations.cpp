// SPDX-License-Identifier: Apache-2.0
#include "tests/binding/support/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
unsigned long count = 0;
}

// Not inlined: GCC takes the pair that it then sees for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace nvmlab::binding_test {

unsigned long allocations() noexcept { return count; }

[[gnu::noinline]] void show(const void* object) noexcept { asm volatile("" : : "r"(object) : "memory"); }

Uncounted::~Uncounted() { count = before_; }

}  // namespace nvmlab::binding_test
