// SPDX-License-Identifier: Apache-2.0
// What each thread has: its stack of contexts, and in which call it is. Kept by a key of the C library's threads, since
// a library that lives in somebody else's process has no thread-local storage of its own. Tests:
// tests/drivers/cuda/contexts_test.cpp.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

namespace nvmlab::cuda {

struct ThreadContexts {
  static constexpr unsigned kDepth = 64;
  CUcontext stack[kDepth];
  unsigned depth;
  bool in_host_function;      // called by a stream
  bool per_thread_stream;     // in a function whose name ends with _ptds or _ptsz: no stream is the thread's own
  std::int32_t capture_mode;  // captures.hpp
  std::uint64_t number;       // of the thread, since the process began; 0: it was not asked yet
  ThreadContexts* next_free;
};

// Keeps contexts by thread from now on; until then, and if the process has no threads, there is one ThreadContexts.
// The C library calls `thread_ends` with the ThreadContexts of a thread that ends, to be given to recycle(). Takes the
// lock of the process.
void keep_by_thread(void (*thread_ends)(void* contexts));
void recycle(ThreadContexts& ended);  // under the lock

// Of the calling thread; null where there is no memory. Under the lock of the process.
ThreadContexts* thread_contexts();

// Of the calling thread; 0: it has none. Under the lock.
std::uint64_t thread_number();

void set_per_thread_stream(bool set);  // takes the lock

}  // namespace nvmlab::cuda
