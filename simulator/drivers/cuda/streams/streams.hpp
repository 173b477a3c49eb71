// SPDX-License-Identifier: Apache-2.0
// Streams: each has a queue of work (work_queue.hpp). The legacy default stream of a context waits for all others that
// were not created as non-blocking, and they for it; the per-thread one is an ordinary stream that each thread has of
// its own. Under the lock of the process. Tests: tests/drivers/cuda/streams_test.cpp, concurrency_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_queue.hpp"

namespace nvmlab::cuda {

inline constexpr std::uint64_t kLegacyStream = 1;
inline constexpr std::uint64_t kPerThreadStream = 2;

struct StreamState {
  CUcontext context;
  std::uint32_t flags;
  std::uint64_t id;
  std::uint64_t thread;  // whose per-thread stream it is; 0: it was created
  WorkQueue* queue;
  CUgreenCtx green = nullptr;  // whose multiprocessors its kernels have; null: all
};

// Their queues are not captured any more.
void release_streams_of(CUcontext context);
void release_streams_of_thread(std::uint64_t thread);

// What a program calls a stream: one that was created, or a default one of the current context. Its state; CUDA_SUCCESS
// or why it is none.
CUresult find_stream(CUstream handle, StreamState* out);

// How a call leaves the work that it has submitted.
enum class Leave : std::uint8_t { to_threads, at_once, done };
CUresult leave(const WorkMark& mark, Leave how);

}  // namespace nvmlab::cuda
