// SPDX-License-Identifier: Apache-2.0
// How calls begin that give a stream work or ask about its work. Tests: tests/drivers/cuda/streams_test.cpp.
#pragma once

#include "drivers/cuda/memory/graph_allocations.hpp"
#include "drivers/cuda/streams/streams.hpp"

namespace nvmlab::cuda {

// Events and copies take a stream of any context (the programming guide, on several devices); other work takes a stream
// of the current context.
enum class StreamOf : std::uint8_t { current_context, any_context };

// Holds the lock and finds the current context and the stream. A call returns code() unless it is CUDA_SUCCESS. It has
// to end before leave(), which waits without the lock.
class StreamGuard {
 public:
  explicit StreamGuard(CUstream handle, StreamOf of = StreamOf::current_context)
      : code_(find(handle, of)), planned_(is_captured()) {}

  CUresult code() const { return code_; }
  const Context& context() const { return current_.context(); }
  const StreamState& stream() const { return stream_; }
  WorkQueue& queue() const { return *stream_.queue; }
  bool is_captured() const { return code_ == CUDA_SUCCESS && queue().capture.of != 0; }

 private:
  CUresult find(CUstream handle, StreamOf of) {
    if (current_.code() != CUDA_SUCCESS) return current_.code();
    if (const CUresult code = find_stream(handle, &stream_); code != CUDA_SUCCESS) return code;
    const bool good = of == StreamOf::any_context || stream_.context == current_context();
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  }

  ContextGuard current_;
  StreamState stream_{};
  CUresult code_;
  PlannedMemory planned_;
};

}  // namespace nvmlab::cuda
