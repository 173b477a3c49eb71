// SPDX-License-Identifier: Apache-2.0
// Functions of the program that a stream calls (host_work.hpp). Tests: tests/drivers/cuda/concurrency_test.cpp.
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/streams/host_work.hpp"

namespace nvmlab::cuda {
namespace {

CUresult queue_call(const HostFunction& asked, WorkMark* mark) {
  const StreamGuard guard(asked.stream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  WorkItem* item = nullptr;
  const CUresult code = make_host_call(asked, &item);
  return code == CUDA_SUCCESS ? submit(guard.queue(), item, mark) : code;
}

CUresult add(const HostFunction& asked) {
  WorkMark mark{};
  const CUresult code = queue_call(asked, &mark);
  return code == CUDA_SUCCESS ? leave(mark, Leave::to_threads) : code;
}

}  // namespace

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
