// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation: memory has its address at once, and is free when its stream comes to that. Tests:
// tests/drivers/cuda/pools_test.cpp.
#include "drivers/cuda/allocations.hpp"
#include "drivers/cuda/captures.hpp"
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/memory_pools.hpp"

namespace nvmlab::cuda {
namespace {

CUresult run_free(void* payload, CUresult) {
  const std::uint64_t address = *static_cast<const std::uint64_t*>(payload);
  const Locked lock;
  release_queued_allocation(address);
  return CUDA_SUCCESS;
}

// From a pool, or, where it is null, from the current one of the stream's device.
CUresult allocate_in_stream(CUdeviceptr* out, std::uint64_t size, CUmemoryPool pool, CUstream handle) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_stream(handle, [&](const Context& context, const StreamState& stream) {
    if (stream.queue->capture.of != 0) return refuse_captured(*stream.queue, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    const CUmemoryPool from = pool == nullptr ? current_pool(context.device) : pool;
    const PoolState* found = find_pool(from);
    if (found == nullptr || found->imported || found->device != context.device) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t address = 0;
    const CUresult code = allocate_from_pool(stream.context, from, size, &address);
    if (code == CUDA_SUCCESS) *out = address;
    return code;
  });
}

}  // namespace

namespace hooks {

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  return allocate_in_stream(dptr, bytesize, nullptr, hStream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
  return pool == nullptr ? CUDA_ERROR_INVALID_VALUE : allocate_in_stream(dptr, bytesize, pool, hStream);
}

// Whoever uses it later than its stream does finds that it is gone.
CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  WorkMark mark{};
  const CUresult code = with_stream(hStream, [&](const Context&, const StreamState& stream) {
    if (stream.queue->capture.of != 0) return refuse_captured(*stream.queue, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    Allocation* const found = find_to_free(dptr);
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t address = dptr;
    const CUresult submitted = submit(*stream.queue, {run_free, nullptr, true, WorkType::empty}, address, &mark);
    if (submitted == CUDA_SUCCESS) found->leaving = true;
    return submitted;
  });
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
