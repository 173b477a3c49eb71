// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation: memory has its address at once, and is free when its stream comes to that. Tests:
// tests/drivers/cuda/pools_test.cpp.
#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/graphs/graph_memory.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/memory/memory_pools.hpp"

namespace nvmlab::cuda {
namespace {

// While a stream is captured, nodes of its graph allocate and free.
CUresult capture_allocation(WorkQueue& queue, std::uint32_t device, std::uint64_t size, CUdeviceptr* out) {
  const CaptureState* const capture = find_capture(queue.capture);
  if (capture == nullptr || capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  CUDA_MEM_ALLOC_NODE_PARAMS asked{};
  asked.poolProps.allocType = 1;                                  // pinned
  asked.poolProps.location = {1, static_cast<CUdevice>(device)};  // on a device
  asked.bytesize = size;
  NodeAllocation planned{};
  CUresult code = plan_allocation(capture->graph, &asked, &planned);
  if (code != CUDA_SUCCESS) return code;
  WorkMark mark{};
  WorkItem* item = nullptr;
  code = make_allocation_item(planned, nullptr, &item);
  if (code == CUDA_SUCCESS) code = submit(queue, item, &mark);
  if (code == CUDA_SUCCESS) {
    *out = asked.dptr;
  } else {
    forget_plan(planned.memory);
  }
  return code;
}

CUresult capture_free(WorkQueue& queue, CUdeviceptr address) {
  const CaptureState* const capture = find_capture(queue.capture);
  if (capture == nullptr || capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  NodeFree planned{};
  CUresult code = plan_free(capture->graph, address, &planned);
  WorkItem* item = nullptr;
  if (code == CUDA_SUCCESS) code = make_free_item(planned, &item);
  WorkMark mark{};
  return code == CUDA_SUCCESS ? submit(queue, item, &mark) : code;
}

// From a pool, or, where it is null, from the current one of the stream's device.
CUresult allocate_in_stream(CUdeviceptr* out, std::uint64_t size, CUmemoryPool pool, CUstream handle) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const std::uint32_t device = guard.context().device;
  const CUmemoryPool from = pool == nullptr ? current_pool(device) : pool;
  const PoolState* found = find_pool(from);
  if (found == nullptr || found->imported || found->device != device) return CUDA_ERROR_INVALID_VALUE;
  if (guard.is_captured()) return capture_allocation(guard.queue(), device, size, out);
  std::uint64_t address = 0;
  const CUresult code = allocate_from_pool(guard.stream().context, from, size, &address);
  if (code == CUDA_SUCCESS) *out = address;
  return code;
}

CUresult queue_free(CUdeviceptr address, CUstream handle, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  if (guard.is_captured()) return capture_free(guard.queue(), address);
  return find_to_free(address) == nullptr ? CUDA_ERROR_INVALID_VALUE : submit_free(guard.queue(), address, mark);
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
  const CUresult code = queue_free(dptr, hStream, &mark);
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
