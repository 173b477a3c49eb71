// SPDX-License-Identifier: Apache-2.0
// How much a program has allocated: what links allocations.cpp counts every `new`.
#pragma once

namespace nvmlab::binding_test {

unsigned long allocations() noexcept;

template <class Body>
unsigned long allocated(Body&& body) {
  const unsigned long before = allocations();
  body();
  return allocations() - before;
}

}  // namespace nvmlab::binding_test
