// SPDX-License-Identifier: Apache-2.0
// Copies of rows and of boxes, between memory and arrays. As copies.cpp: what is said to lie on a device must lie
// within one allocation there, from the first byte of the first row to the last of the last; of an array a box must lie
// within it. Tests: tests/drivers/cuda/memory_test.cpp, textures_test.cpp.
#include <cstring>
#include <initializer_list>

#include "drivers/cuda/allocations.hpp"
#include "drivers/cuda/arrays.hpp"
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/streams.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kHost = 1;
constexpr int kDevice = 2;
constexpr int kArray = 3;
constexpr int kUnified = 4;
constexpr std::uint64_t kMost = std::uint64_t{1} << 20;  // of a number: products and sums do not overflow below
constexpr std::uint64_t kMostX = std::uint64_t{1} << 40;

struct Extent {
  std::uint64_t width;  // bytes
  std::uint64_t height;
  std::uint64_t depth;
};

// One end of a copy: where its first byte is, and how far it is to the next row and slice.
struct PlacedBox {
  std::uint64_t address;
  std::uint64_t pitch;
  std::uint64_t slice;
  bool device;
  bool known;  // memory that was allocated here

  std::uint64_t extent(const Extent& of) const { return (of.depth - 1) * slice + (of.height - 1) * pitch + of.width; }
};

// What a caller says of one end.
struct End {
  std::uint64_t x, y, z;
  int type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  std::uint64_t pitch;
  std::uint64_t height;  // rows of a slice
};

struct CopyBox {
  PlacedBox to;
  PlacedBox from;
  Extent of;
};

CUresult in_array(const End& end, const Extent& of, PlacedBox* box) {
  const ArrayState* const array = find_array(end.array);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::uint64_t row = row_bytes(array->of);
  const std::uint64_t rows = rows_of(array->of);
  const std::uint64_t slices = slices_of(array->of);
  if (end.x > row || of.width > row - end.x || end.y > rows || of.height > rows - end.y || end.z > slices ||
      of.depth > slices - end.z)
    return CUDA_ERROR_INVALID_VALUE;
  *box = {array->memory + (end.z * rows + end.y) * row + end.x, row, row * rows, true, false};
  return CUDA_SUCCESS;
}

CUresult box_of(const End& end, const Extent& of, PlacedBox* box) {
  if (end.type == kArray) return in_array(end, of, box);
  if (end.type != kHost && end.type != kDevice && end.type != kUnified) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t row = end.pitch == 0 ? end.x + of.width : end.pitch;
  const std::uint64_t rows = end.height == 0 ? end.y + of.height : end.height;
  const bool line = of.height == 1 && of.depth == 1 && end.y == 0 && end.z == 0;
  if (end.x > kMostX || end.y > kMost || end.z > kMost || row > (line ? kMostX * 2 : kMost) || rows > kMost ||
      end.x + of.width > row || (of.depth > 1 && end.y + of.height > rows))
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t begin = end.type == kHost ? reinterpret_cast<std::uint64_t>(end.host) : end.device;
  if (begin == 0) return CUDA_ERROR_INVALID_VALUE;
  *box = {begin + (end.z * rows + end.y) * row + end.x, row, row * rows, end.type == kDevice, false};
  return CUDA_SUCCESS;
}

CUresult check(PlacedBox& box, const Extent& of) {
  box.known = find_allocation(box.address) != nullptr;
  return (box.device || box.known) && !on_device(box.address, box.extent(of)) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Another thread may have freed it since it was asked for; while the copy runs nothing is freed.
bool still_there(const PlacedBox& box, const Extent& of) {
  const Locked lock;
  return !box.known || on_device(box.address, box.extent(of));
}

CUresult run_box(void* payload, CUresult) {
  const CopyBox asked = *static_cast<const CopyBox*>(payload);
  if (!still_there(asked.to, asked.of) || !still_there(asked.from, asked.of)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  for (std::uint64_t slice = 0; slice < asked.of.depth; ++slice) {
    for (std::uint64_t row = 0; row < asked.of.height; ++row)
      std::memmove(
          reinterpret_cast<void*>(asked.to.address + slice * asked.to.slice + row * asked.to.pitch),
          reinterpret_cast<const void*>(asked.from.address + slice * asked.from.slice + row * asked.from.pitch),
          asked.of.width);
  }
  return CUDA_SUCCESS;
}

CUresult copy(const End& to, const End& from, const Extent& of, CUstream handle, bool now) {
  if (of.width == 0 || of.height == 0 || of.depth == 0) return CUDA_SUCCESS;
  const bool flat = of.height == 1 && of.depth == 1;
  if (of.width > (flat ? kMostX : kMost) || of.height > kMost || of.depth > kMost) return CUDA_ERROR_INVALID_VALUE;
  WorkMark mark{};
  CopyBox box{{}, {}, of};
  const CUresult code = with_stream(handle, [&](const Context&, const StreamState& stream) {
    CUresult wrong = box_of(from, of, &box.from);
    if (wrong == CUDA_SUCCESS) wrong = box_of(to, of, &box.to);
    for (PlacedBox* each : {&box.from, &box.to}) {
      if (wrong == CUDA_SUCCESS) wrong = check(*each, of);
    }
    if (wrong != CUDA_SUCCESS) return wrong;
    return submit(*stream.queue, {run_box, nullptr, false, WorkType::copy}, box, &mark);
  });
  if (code != CUDA_SUCCESS) return code;
  return leave(mark, now || !box.to.known || !box.from.known ? Leave::done : Leave::to_threads);
}

CUresult copy_rows(const CUDA_MEMCPY2D* asked, CUstream stream, bool now) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY2D& of = *asked;
  const End from{of.srcXInBytes, of.srcY, 0, of.srcMemoryType, of.srcHost, of.srcDevice, of.srcArray, of.srcPitch, 0};
  const End to{of.dstXInBytes, of.dstY, 0, of.dstMemoryType, of.dstHost, of.dstDevice, of.dstArray, of.dstPitch, 0};
  return copy(to, from, {of.WidthInBytes, of.Height, 1}, stream, now);
}

CUresult copy_box(const CUDA_MEMCPY3D* asked, CUstream stream, bool now) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D& of = *asked;
  const End from{of.srcXInBytes, of.srcY,     of.srcZ,     of.srcMemoryType, of.srcHost,
                 of.srcDevice,   of.srcArray, of.srcPitch, of.srcHeight};
  const End to{of.dstXInBytes, of.dstY,     of.dstZ,     of.dstMemoryType, of.dstHost,
               of.dstDevice,   of.dstArray, of.dstPitch, of.dstHeight};
  if (of.srcLOD != 0 || of.dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
  return copy(to, from, {of.WidthInBytes, of.Height, of.Depth}, stream, now);
}

// Bytes of an array of one dimension, from an offset on.
End of_array(CUarray array, std::size_t offset) { return {offset, 0, 0, kArray, nullptr, 0, array, 0, 0}; }
End of_host(const void* host) { return {0, 0, 0, kHost, host, 0, nullptr, 0, 0}; }
End of_device(CUdeviceptr device) { return {0, 0, 0, kDevice, nullptr, device, nullptr, 0, 0}; }

CUresult copy_line(const End& to, const End& from, std::size_t bytes, CUstream stream, bool now) {
  return copy(to, from, {bytes, 1, 1}, stream, now);
}

}  // namespace

namespace hooks {

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) { return copy_rows(pCopy, nullptr, true); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) { return copy_rows(pCopy, nullptr, true); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) { return copy_rows(pCopy, hStream, false); }
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) { return copy_box(pCopy, nullptr, true); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) { return copy_box(pCopy, hStream, false); }

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
