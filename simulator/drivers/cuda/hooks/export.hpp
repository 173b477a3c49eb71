// SPDX-License-Identifier: Apache-2.0
// Templates of the generated exports: each call checks that cuInit came first, does its work and is logged.
#pragma once

#include "drivers/cuda/abi/names.hpp"
#include "drivers/cuda/contexts/thread_contexts.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/process/process.hpp"

#define NVMLAB_EXPORT __attribute__((visibility("default")))

namespace nvmlab::cuda {

// Logs a call and returns its code.
CUresult traced(Function function, CUresult code);

template <Function F, class Body>
CUresult answer(const Body& body) {
  const CUresult code = body();
  if (log_level() >= kLogCalls) [[unlikely]]
    return traced(F, code);
  return code;
}

template <Function F, class Body>
CUresult call(const Body& body) {
  return answer<F>([&] {
    const CUresult code = check_initialised();
    return code == CUDA_SUCCESS ? body() : code;
  });
}

// Makes the default stream the calling thread's own, for a function whose name ends with _ptds or _ptsz.
class PerThreadStream {
 public:
  PerThreadStream() { set_per_thread_stream(true); }
  ~PerThreadStream() { set_per_thread_stream(false); }
  PerThreadStream(const PerThreadStream&) = delete;
  PerThreadStream& operator=(const PerThreadStream&) = delete;
};

template <Function F, class Body>
CUresult call_per_thread(const Body& body) {
  return call<F>([&] {
    const PerThreadStream scope;
    return body();
  });
}

// Rejects a call of a function that is not simulated, and logs the reason.
CUresult refuse(Function function);

}  // namespace nvmlab::cuda
