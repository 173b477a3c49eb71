// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills. Both ends are host memory; what is said to lie on a device must lie within one allocation there.
// A wild address of the host ends the process, as it does with the real driver. Copies run without the lock of the
// process, so threads copy side by side. Tests: tests/drivers/cuda/memory_test.cpp.
#include <cstring>
#include <initializer_list>

#include "drivers/cuda/allocations.hpp"
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/streams.hpp"

namespace nvmlab::cuda {
namespace {

struct Range {
  std::uint64_t address;
  bool device;  // must be device memory; else it may be any
};

// CUDA_SUCCESS where a context is current and all that must be device memory is.
template <std::size_t N>
CUresult check(const Range (&ranges)[N], std::uint64_t size, CUstream stream) {
  return with_current([&](CUcontext, const Context&) {
    if (const CUresult code = check_stream(stream); code != CUDA_SUCCESS) return code;
    for (const Range& each : ranges) {
      // Memory of the host that was allocated here is told by its address, too: it ends where it ends.
      const bool known = find_allocation(each.address) != nullptr;
      if (size > 0 && (each.device || known) && !on_device(each.address, size)) return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

CUresult copy(Range to, Range from, std::uint64_t size, CUstream stream) {
  const Range both[] = {to, from};
  const CUresult code = check(both, size, stream);
  if (code != CUDA_SUCCESS || size == 0) return code;
  if (to.address == 0 || from.address == 0) return CUDA_ERROR_INVALID_VALUE;
  std::memmove(reinterpret_cast<void*>(to.address), reinterpret_cast<const void*>(from.address), size);
  return CUDA_SUCCESS;
}

Range device(CUdeviceptr address) { return {address, true}; }
Range any(CUdeviceptr address) { return {address, false}; }
Range host(const void* address) { return {reinterpret_cast<std::uint64_t>(address), false}; }

template <class T>
CUresult fill(CUdeviceptr to, T value, std::uint64_t count, CUstream stream) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  if (to % sizeof(T) != 0 || count > kMost) return CUDA_ERROR_INVALID_VALUE;
  const Range one[] = {device(to)};
  const CUresult code = check(one, count * sizeof(T), stream);
  if (code != CUDA_SUCCESS) return code;
  T* const begin = reinterpret_cast<T*>(to);
  for (std::uint64_t i = 0; i < count; ++i)
    begin[i] = value;
  return CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copy(any(dst), any(src), ByteCount, nullptr);
}
CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copy(any(dst), any(src), ByteCount, hStream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return copy(device(dstDevice), host(srcHost), ByteCount, nullptr);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount, CUstream hStream) {
  return copy(device(dstDevice), host(srcHost), ByteCount, hStream);
}
CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy(host(dstHost), device(srcDevice), ByteCount, nullptr);
}
CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return copy(host(dstHost), device(srcDevice), ByteCount, hStream);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy(device(dstDevice), device(srcDevice), ByteCount, nullptr);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return copy(device(dstDevice), device(srcDevice), ByteCount, hStream);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount, CUstream hStream) {
  for (const CUcontext each : {dstContext, srcContext}) {
    const Locked lock;
    if (find_context(each) == nullptr) return no_context(each);
  }
  return copy(device(dstDevice), device(srcDevice), ByteCount, hStream);
}
CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                      size_t ByteCount) {
  return cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, nullptr);
}

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) { return fill(dstDevice, uc, N, nullptr); }
CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return fill(dstDevice, uc, N, hStream);
}
CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) { return fill(dstDevice, us, N, nullptr); }
CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return fill(dstDevice, us, N, hStream);
}
CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) { return fill(dstDevice, ui, N, nullptr); }
CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return fill(dstDevice, ui, N, hStream);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
