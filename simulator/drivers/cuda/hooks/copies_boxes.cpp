// SPDX-License-Identifier: Apache-2.0
// Copies of rows and of boxes, between memory and arrays (copy_boxes.hpp). Tests: tests/drivers/cuda/memory_test.cpp,
// array_copies_test.cpp.
#include <initializer_list>

#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/memory/copy_boxes.hpp"

namespace nvmlab::cuda {
namespace {

CUresult queue_copy(const BoxCopy& of, CUstream handle, PlacedCopy* placed, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  CUresult code = place_copy(of, placed);
  WorkItem* item = nullptr;
  if (code == CUDA_SUCCESS) code = make_copy(*placed, &item);
  return code == CUDA_SUCCESS ? submit(guard.queue(), item, mark) : code;
}

CUresult copy(const BoxCopy& of, CUstream stream, bool now) {
  if (of.width == 0 || of.height == 0 || of.depth == 0) return CUDA_SUCCESS;
  WorkMark mark{};
  PlacedCopy placed{};
  const CUresult code = queue_copy(of, stream, &placed, &mark);
  if (code != CUDA_SUCCESS) return code;
  return leave(mark, now || !placed.to.known || !placed.from.known ? Leave::done : Leave::to_threads);
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

CUresult copy_rows(const CUDA_MEMCPY2D* asked, CUstream stream, bool now) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY2D& of = *asked;
  const CopyEnd from{of.srcXInBytes, of.srcY, 0,           0, of.srcMemoryType, number(of.srcHost), of.srcDevice,
                     of.srcArray,    0,       of.srcPitch, 0};
  const CopyEnd to{of.dstXInBytes, of.dstY, 0,           0, of.dstMemoryType, number(of.dstHost), of.dstDevice,
                   of.dstArray,    0,       of.dstPitch, 0};
  return copy({from, to, of.WidthInBytes, of.Height, 1}, stream, now);
}

CUresult copy_box(const CUDA_MEMCPY3D* asked, CUstream stream, bool now) {
  return asked == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(box_copy(*asked), stream, now);
}

// Where an end is memory of a device, its context must be one.
CUresult copy_peer(const CUDA_MEMCPY3D_PEER* asked, CUstream stream, bool now) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const BoxCopy of = box_copy(*reinterpret_cast<const CUDA_MEMCPY3D*>(asked));
  for (const CopyEnd* each : {&of.from, &of.to}) {
    if (each->type != kDeviceEnd && each->type != kUnifiedEnd) continue;
    const auto context = reinterpret_cast<CUcontext>(each->reserved);
    const Locked lock;
    if (find_context(context) == nullptr) return no_context(context);
  }
  return copy(of, stream, now);
}

// Bytes of an array of one dimension, from an offset on.
CopyEnd of_array(CUarray array, std::size_t offset) { return {offset, 0, 0, 0, kArrayEnd, 0, 0, array, 0, 0, 0}; }
CopyEnd of_host(const void* host) { return {0, 0, 0, 0, kHostEnd, number(host), 0, nullptr, 0, 0, 0}; }
CopyEnd of_device(CUdeviceptr device) { return {0, 0, 0, 0, kDeviceEnd, 0, device, nullptr, 0, 0, 0}; }

CUresult copy_line(const CopyEnd& to, const CopyEnd& from, std::size_t bytes, CUstream stream, bool now) {
  return copy({from, to, bytes, 1, 1}, stream, now);
}

}  // namespace

namespace hooks {

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) { return copy_rows(pCopy, nullptr, true); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) { return copy_rows(pCopy, nullptr, true); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) { return copy_rows(pCopy, hStream, false); }
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) { return copy_box(pCopy, nullptr, true); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) { return copy_box(pCopy, hStream, false); }

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) { return copy_peer(pCopy, nullptr, true); }
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  return copy_peer(pCopy, hStream, false);
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void* srcHost, size_t ByteCount) {
  return copy_line(of_array(dstArray, dstOffset), of_host(srcHost), ByteCount, nullptr, true);
}
CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void* srcHost, size_t ByteCount,
                              CUstream hStream) {
  return copy_line(of_array(dstArray, dstOffset), of_host(srcHost), ByteCount, hStream, false);
}
CUresult cuMemcpyAtoH_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return copy_line(of_host(dstHost), of_array(srcArray, srcOffset), ByteCount, nullptr, true);
}
CUresult cuMemcpyAtoHAsync_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream) {
  return copy_line(of_host(dstHost), of_array(srcArray, srcOffset), ByteCount, hStream, false);
}
CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_line(of_array(dstArray, dstOffset), of_device(srcDevice), ByteCount, nullptr, true);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return copy_line(of_device(dstDevice), of_array(srcArray, srcOffset), ByteCount, nullptr, true);
}
CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return copy_line(of_array(dstArray, dstOffset), of_array(srcArray, srcOffset), ByteCount, nullptr, true);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
