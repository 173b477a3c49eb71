// SPDX-License-Identifier: Apache-2.0
// Words of memory that a stream waits for or writes (stream_words.hpp). Tests:
// tests/drivers/cuda/concurrency_test.cpp.
#include "drivers/cuda/streams/stream_words.hpp"

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/streams/streams.hpp"

namespace nvmlab::cuda {
namespace {

constexpr unsigned kWait32 = 1;
constexpr unsigned kWrite32 = 2;
constexpr unsigned kWait64 = 4;
constexpr unsigned kWrite64 = 5;

// All of them are checked before the first is done; captured, they are one node.
CUresult operate_all(CUstream handle, CUDA_BATCH_MEM_OP_NODE_PARAMS asked) {
  WorkMark mark{};
  const CUresult code = with_stream(handle, [&](const Context&, const StreamState& stream) {
    CUresult wrong = check_operations(asked);
    if (wrong != CUDA_SUCCESS) return wrong;
    asked.ctx = stream.context;
    if (stream.queue->capture.of != 0)
      return submit(*stream.queue, operations_work(), bytes_of(asked), &mark, write_operations, &asked);
    for (unsigned i = 0; i < asked.count && wrong == CUDA_SUCCESS; ++i)
      wrong = submit_operation(*stream.queue, asked.paramArray[i], &mark);
    return wrong;
  });
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
