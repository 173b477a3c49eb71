// SPDX-License-Identifier: Apache-2.0
// Rows of memory that are filled. Tests: tests/drivers/cuda/rows_test.cpp.
#include "drivers/cuda/graphs/node_work.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"

namespace nvmlab::cuda {
namespace {

bool is_nothing(const CUDA_MEMSET_NODE_PARAMS& asked) { return asked.width == 0 || asked.height == 0; }

CUresult queue_fill(const CUDA_MEMSET_NODE_PARAMS& asked, CUstream handle, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS || is_nothing(asked)) return guard.code();
  const PlannedMemory planned(true);
  WorkItem* item = nullptr;
  const CUresult code = make_fill(asked, &item);
  return code == CUDA_SUCCESS ? submit(guard.queue(), item, mark) : code;
}

CUresult fill_rows(const CUDA_MEMSET_NODE_PARAMS& asked, CUstream stream) {
  WorkMark mark{};
  const CUresult code = queue_fill(asked, stream, &mark);
  return code == CUDA_SUCCESS && !is_nothing(asked) ? leave(mark, Leave::to_threads) : code;
}

}  // namespace

namespace hooks {

CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height) {
  return fill_rows({dstDevice, dstPitch, uc, 1, Width, Height}, nullptr);
}
CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
                           CUstream hStream) {
  return fill_rows({dstDevice, dstPitch, uc, 1, Width, Height}, hStream);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height) {
  return fill_rows({dstDevice, dstPitch, us, 2, Width, Height}, nullptr);
}
CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
                            CUstream hStream) {
  return fill_rows({dstDevice, dstPitch, us, 2, Width, Height}, hStream);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height) {
  return fill_rows({dstDevice, dstPitch, ui, 4, Width, Height}, nullptr);
}
CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height,
                            CUstream hStream) {
  return fill_rows({dstDevice, dstPitch, ui, 4, Width, Height}, hStream);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
