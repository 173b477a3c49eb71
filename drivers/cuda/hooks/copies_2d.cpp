// SPDX-License-Identifier: Apache-2.0
// Copies of rows. As copies.cpp: what is said to lie on a device must lie within one allocation there, from the first
// byte of the first row to the last of the last. Tests: tests/drivers/cuda/memory_test.cpp.
#include <cstring>
#include <initializer_list>

#include "drivers/cuda/allocations.hpp"
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/streams.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kHost = 1;
constexpr int kDevice = 2;
constexpr int kArray = 3;
constexpr int kUnified = 4;
constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // of a number: products and sums do not overflow below

struct Rows {
  std::uint64_t address;  // of the first byte
  std::uint64_t pitch;
  bool device;

  std::uint64_t extent(std::uint64_t width, std::uint64_t height) const { return (height - 1) * pitch + width; }
};

CUresult rows_of(int type, const void* host, CUdeviceptr device, std::uint64_t x, std::uint64_t y, std::uint64_t pitch,
                 std::uint64_t width, Rows* rows) {
  if (type == kArray) return CUDA_ERROR_NOT_SUPPORTED;
  if (type != kHost && type != kDevice && type != kUnified) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t row = pitch == 0 ? x + width : pitch;
  if (x > kMost || y > kMost >> 20 || row > kMost >> 20 || x + width > row) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t begin = type == kHost ? reinterpret_cast<std::uint64_t>(host) : device;
  if (begin == 0) return CUDA_ERROR_INVALID_VALUE;
  *rows = {begin + y * row + x, row, type == kDevice};
  return CUDA_SUCCESS;
}

CUresult check(const Rows& rows, std::uint64_t width, std::uint64_t height) {
  const bool known = find_allocation(rows.address) != nullptr;
  return (rows.device || known) && !on_device(rows.address, rows.extent(width, height)) ? CUDA_ERROR_INVALID_VALUE
                                                                                        : CUDA_SUCCESS;
}

struct CopyRows {
  Rows to;
  Rows from;
  std::uint64_t width;
  std::uint64_t height;
  bool known;  // both ends are memory that was allocated here
};

CUresult run_rows(void* payload, CUresult) {
  const CopyRows asked = *static_cast<const CopyRows*>(payload);
  if (asked.known) {
    const Locked lock;
    for (const Rows* each : {&asked.to, &asked.from}) {
      if (!on_device(each->address, each->extent(asked.width, asked.height))) return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
  }
  for (std::uint64_t row = 0; row < asked.height; ++row)
    std::memmove(reinterpret_cast<void*>(asked.to.address + row * asked.to.pitch),
                 reinterpret_cast<const void*>(asked.from.address + row * asked.from.pitch), asked.width);
  return CUDA_SUCCESS;
}

CUresult copy(const CUDA_MEMCPY2D* asked, CUstream handle, bool now) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY2D of = *asked;
  if (of.WidthInBytes == 0 || of.Height == 0) return CUDA_SUCCESS;
  if (of.WidthInBytes > kMost >> 20 || of.Height > kMost >> 20) return CUDA_ERROR_INVALID_VALUE;
  CopyRows rows{{}, {}, of.WidthInBytes, of.Height, false};
  CUresult code = rows_of(of.srcMemoryType, of.srcHost, of.srcDevice, of.srcXInBytes, of.srcY, of.srcPitch,
                          of.WidthInBytes, &rows.from);
  if (code != CUDA_SUCCESS) return code;
  code = rows_of(of.dstMemoryType, of.dstHost, of.dstDevice, of.dstXInBytes, of.dstY, of.dstPitch, of.WidthInBytes,
                 &rows.to);
  if (code != CUDA_SUCCESS) return code;
  WorkMark mark{};
  code = with_stream(handle, [&](const Context&, const StreamState& stream) {
    for (const Rows* each : {&rows.from, &rows.to}) {
      if (const CUresult wrong = check(*each, of.WidthInBytes, of.Height); wrong != CUDA_SUCCESS) return wrong;
    }
    rows.known = find_allocation(rows.to.address) != nullptr && find_allocation(rows.from.address) != nullptr;
    return submit(*stream.queue, {run_rows, nullptr, false, WorkType::copy}, rows, &mark);
  });
  if (code != CUDA_SUCCESS) return code;
  return leave(mark, now || !rows.known ? Leave::done : Leave::to_threads);
}

}  // namespace

namespace hooks {

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) { return copy(pCopy, nullptr, true); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) { return copy(pCopy, nullptr, true); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) { return copy(pCopy, hStream, false); }

}  // namespace hooks
}  // namespace nvmlab::cuda
