// SPDX-License-Identifier: Apache-2.0
// Rows of memory that are filled. Tests: tests/drivers/cuda/rows_test.cpp.
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/graphs/node_work.hpp"
#include "drivers/cuda/streams/streams.hpp"

namespace nvmlab::cuda {
namespace {

CUresult fill_rows(const CUDA_MEMSET_NODE_PARAMS& asked, CUstream handle) {
  struct Target {
    WorkQueue* queue;
    WorkMark mark;
  } target{};
  const bool nothing = asked.width == 0 || asked.height == 0;
  const CUresult code = with_stream(handle, [&](const Context&, const StreamState& stream) {
    if (nothing) return CUDA_SUCCESS;
    target.queue = stream.queue;
    const UseWork use{[](void* user, const Work& work, std::uint32_t size, WriteWork write, const void* data) {
                        auto& into = *static_cast<Target*>(user);
                        return submit(*into.queue, work, size, &into.mark, write, data);
                      },
                      &target};
    return with_node_work(fill_asked(asked), use);
  });
  return code == CUDA_SUCCESS && !nothing ? leave(target.mark, Leave::to_threads) : code;
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
