// SPDX-License-Identifier: Apache-2.0
// How often the benchmarks' program calls `new`, of which it has one of its own.
#pragma once

#include <cstddef>

namespace nvmlab::bench {

// So far, by one thread at a time.
std::size_t allocations() noexcept;

template <class Call>
std::size_t allocations_of(Call&& call) {
  const std::size_t before = allocations();
  call();
  return allocations() - before;
}

}  // namespace nvmlab::bench
