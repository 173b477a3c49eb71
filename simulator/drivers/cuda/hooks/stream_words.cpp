// SPDX-License-Identifier: Apache-2.0
// Words of memory that a stream waits for or writes (stream_words.hpp). Tests:
// tests/drivers/cuda/concurrency_test.cpp.
#include "drivers/cuda/memory/stream_words.hpp"

#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"

namespace nvmlab::cuda {
namespace {

// All of them are checked before the first is done; captured, they are one node.
CUresult queue_operations(CUstream handle, CUDA_BATCH_MEM_OP_NODE_PARAMS asked, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  if (const CUresult code = check_operations(asked); code != CUDA_SUCCESS) return code;
  asked.ctx = guard.stream().context;
  if (!guard.is_captured()) return submit_operations(guard.queue(), asked.paramArray, asked.count, mark);
  WorkItem* item = nullptr;
  const CUresult code = make_operations(asked, &item);
  return code == CUDA_SUCCESS ? submit(guard.queue(), item, mark) : code;
}

CUresult operate_all(CUstream stream, const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked) {
  WorkMark mark{};
  const CUresult code = queue_operations(stream, asked, &mark);
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}

CUresult operate(CUstream stream, CUstreamBatchMemOpParams asked) {
  return operate_all(stream, {nullptr, 1, &asked, 0});
}

}  // namespace

namespace hooks {

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return operate(stream, {kWait32, {addr, value, flags, 0}, 0});
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return operate(stream, {kWait32, {addr, value, flags, 0}, 0});
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return operate(stream, {kWait64, {addr, value, flags, 0}, 0});
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return operate(stream, {kWait64, {addr, value, flags, 0}, 0});
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return operate(stream, {kWrite32, {addr, value, flags, 0}, 0});
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return operate(stream, {kWrite32, {addr, value, flags, 0}, 0});
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return operate(stream, {kWrite64, {addr, value, flags, 0}, 0});
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return operate(stream, {kWrite64, {addr, value, flags, 0}, 0});
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* paramArray,
                               unsigned int flags) {
  return operate_all(stream, {nullptr, count, paramArray, flags});
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* paramArray,
                            unsigned int flags) {
  return cuStreamBatchMemOp_v2(stream, count, paramArray, flags);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
