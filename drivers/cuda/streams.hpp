// SPDX-License-Identifier: Apache-2.0
// Streams and events. What is asked of a stream is done when the call returns, so a stream has nothing to wait for and
// an event is a time. Under the lock of the process. Tests: tests/drivers/cuda/streams_test.cpp.
#pragma once

#include "drivers/cuda/contexts.hpp"

namespace nvmlab::cuda {

struct StreamState {
  CUcontext context;
  std::uint32_t flags;
  std::int32_t priority;
  std::uint64_t id;
};

struct EventState {
  CUcontext context;
  std::uint32_t flags;
  bool recorded;
  std::uint64_t time_ns;
};

void release_streams_of(CUcontext context);

// A stream that was created, or the default one of the current context: CUDA_SUCCESS, or why it is none.
CUresult check_stream(CUstream handle);

}  // namespace nvmlab::cuda
