// SPDX-License-Identifier: Apache-2.0
// The items of a list, one after the other. Tests: tests/drivers/functions/stack_test.cpp.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

// Calls `visit` with each item of a list where it lies, until one is the right one; it must read by load(), and may be
// called anew from the first item on.
template <class List, class Visit>
bool visit_until(const List& list, const Visit& visit) {
  for (std::uint32_t i = 0; i < length_of(list); ++i) {
    if (visit(list.items[i])) return true;
  }
  return false;
}

}  // namespace nvmlab::driver
