// SPDX-License-Identifier: Apache-2.0
// Functions of the program that a stream calls, on a thread of its own and without the lock: they may not call CUDA,
// but they may wait for a thread that does. Tests: tests/drivers/cuda/concurrency_test.cpp.
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/streams/host_work.hpp"
#include "drivers/cuda/streams/streams.hpp"

namespace nvmlab::cuda {
namespace {

void mark_thread(bool inside) {
  const Locked lock;
  enter_host_function(inside);
}

CUresult call_function(void* payload, CUresult fault) {
  const auto& asked = *static_cast<const HostFunction*>(payload);
  mark_thread(true);
  if (asked.function != nullptr) {
    asked.function(asked.data);
  } else {
    asked.callback(asked.stream, fault, asked.data);
  }
  mark_thread(false);
  return CUDA_SUCCESS;
}

CUresult add(const HostFunction& asked) {
  WorkMark mark{};
  const CUresult code = with_stream(asked.stream, [&](const Context&, const StreamState& stream) {
    return submit(*stream.queue, host_work(asked), asked, &mark);
  });
  return code == CUDA_SUCCESS ? leave(mark, Leave::to_threads) : code;
}

}  // namespace

Work host_work(const HostFunction& asked) {
  return {call_function, nullptr, asked.callback != nullptr, WorkType::host};
}

namespace hooks {

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  return fn == nullptr ? CUDA_ERROR_INVALID_VALUE : add({fn, nullptr, hStream, userData});
}
// How its thread waits for it, blocked or spinning, is the same here.
CUresult cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void* userData, unsigned int syncMode) {
  return syncMode > 1 ? CUDA_ERROR_INVALID_VALUE : cuLaunchHostFunc(hStream, fn, userData);
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData, unsigned int flags) {
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return add({nullptr, callback, hStream, userData});
}

}  // namespace hooks
}  // namespace nvmlab::cuda
