// SPDX-License-Identifier: Apache-2.0
// The stack of contexts of each thread. Kept by a key of the C library's threads, since a library that lives in
// somebody else's process has no thread-local storage of its own. Tests: tests/drivers/cuda/contexts_test.cpp.
#pragma once

#include "drivers/cuda/abi.hpp"

namespace nvmlab::cuda {

struct ThreadContexts {
  static constexpr unsigned kDepth = 64;
  CUcontext stack[kDepth];
  unsigned depth;
  ThreadContexts* next_free;
};

// Of the calling thread; null where there is no memory. Under the lock of the process.
ThreadContexts* thread_contexts();

}  // namespace nvmlab::cuda
