// SPDX-License-Identifier: Apache-2.0
// Copies and fills. Tests: tests/drivers/cudart/memory_test.cpp.
#include "drivers/cudart/boxes.hpp"
#include "drivers/cudart/generated/hooks.hpp"

namespace nvmlab::cudart {
namespace {

cudaError_t copy(void* to, const void* from, std::size_t bytes, int kind, Order order) {
  if (!is_direction(kind)) return cudaErrorInvalidMemcpyDirection;
  return with_context([&](const Driver& below) {
    if (bytes == 0) return cudaSuccess;
    if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
    const CUdeviceptr target = address_of(to);
    const CUdeviceptr source = address_of(from);
    switch (kind) {
      case kHostToDevice:
        return order.async ? ask(below.cuMemcpyHtoDAsync_v2, target, from, bytes, order.stream)
                           : ask(below.cuMemcpyHtoD_v2, target, from, bytes);
      case kDeviceToHost:
        return order.async ? ask(below.cuMemcpyDtoHAsync_v2, to, source, bytes, order.stream)
                           : ask(below.cuMemcpyDtoH_v2, to, source, bytes);
      case kDeviceToDevice:
        return order.async ? ask(below.cuMemcpyDtoDAsync_v2, target, source, bytes, order.stream)
                           : ask(below.cuMemcpyDtoD_v2, target, source, bytes);
      default:
        return order.async ? ask(below.cuMemcpyAsync, target, source, bytes, order.stream)
                           : ask(below.cuMemcpy, target, source, bytes);
    }
  });
}

struct Rows {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch;
  std::size_t width;
  std::size_t height;
};

cudaError_t copy_rows(const Rows& rows, int kind, Order order) {
  if (!is_direction(kind)) return cudaErrorInvalidMemcpyDirection;
  if (rows.width == 0 || rows.height == 0) return cudaSuccess;
  if (rows.width > rows.to_pitch || rows.width > rows.from_pitch) return cudaErrorInvalidPitchValue;
  return with_context([&](const Driver& below) {
    CUDA_MEMCPY2D wanted{};
    wanted.srcMemoryType = source_of(kind);
    wanted.dstMemoryType = target_of(kind);
    wanted.srcHost = rows.from;
    wanted.srcDevice = address_of(rows.from);
    wanted.srcPitch = rows.from_pitch;
    wanted.dstHost = rows.to;
    wanted.dstDevice = address_of(rows.to);
    wanted.dstPitch = rows.to_pitch;
    wanted.WidthInBytes = rows.width;
    wanted.Height = rows.height;
    return order.async ? ask(below.cuMemcpy2DAsync_v2, &wanted, order.stream)
                       : ask(below.cuMemcpy2DUnaligned_v2, &wanted);
  });
}

cudaError_t copy_peer(void* to, int to_device, const void* from, int from_device, std::size_t bytes, Order order) {
  return with_driver([&](const Driver& below) {
    CUcontext target = nullptr;
    CUcontext source = nullptr;
    cudaError_t code = primary_context(to_device, &target);
    if (code == cudaSuccess) code = primary_context(from_device, &source);
    if (code == cudaSuccess) code = ready();
    if (code != cudaSuccess || bytes == 0) return code;
    return order.async
               ? ask(below.cuMemcpyPeerAsync, address_of(to), target, address_of(from), source, bytes, order.stream)
               : ask(below.cuMemcpyPeer, address_of(to), target, address_of(from), source, bytes);
  });
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
                           Order order) {
  CUdeviceptr address = 0;
  const cudaError_t code = target_variable(symbol, bytes, offset, kind, &address);
  return code == cudaSuccess ? copy(pointer_to(address), from, bytes, kind, order) : code;
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                             Order order) {
  CUdeviceptr address = 0;
  const cudaError_t code = source_variable(symbol, bytes, offset, kind, &address);
  return code == cudaSuccess ? copy(to, pointer_to(address), bytes, kind, order) : code;
}

cudaError_t fill(CUdeviceptr to, int value, std::size_t bytes, Order order) {
  const auto byte = static_cast<unsigned char>(value);
  return with_context([&](const Driver& below) {
    if (bytes == 0) return cudaSuccess;
    return order.async ? ask(below.cuMemsetD8Async, to, byte, bytes, order.stream)
                       : ask(below.cuMemsetD8_v2, to, byte, bytes);
  });
}

// In one call, so that a capture makes one node of it.
cudaError_t fill_rows(CUdeviceptr to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                      Order order) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (height == 1) return fill(to, value, width, order);
  if (width > pitch) return cudaErrorInvalidValue;
  const auto byte = static_cast<unsigned char>(value);
  return with_context([&](const Driver& below) {
    return order.async ? ask(below.cuMemsetD2D8Async, to, pitch, byte, width, height, order.stream)
                       : ask(below.cuMemsetD2D8_v2, to, pitch, byte, width, height);
  });
}

cudaError_t fill_planes(const cudaPitchedPtr& box, int value, const cudaExtent& extent, Order order) {
  std::size_t rows = 0;
  if (extent.height == box.ysize && !__builtin_mul_overflow(extent.height, extent.depth, &rows))
    return fill_rows(address_of(box.ptr), box.pitch, value, extent.width, rows, order);
  for (std::size_t plane = 0; plane < extent.depth; ++plane) {
    const CUdeviceptr at = address_of(box.ptr) + plane * box.ysize * box.pitch;
    const cudaError_t code = fill_rows(at, box.pitch, value, extent.width, extent.height, order);
    if (code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

}  // namespace

namespace hooks {

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return copy(dst, src, count, kind, kAtOnce);
}
cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(dst, src, count, kind, {true, stream});
}
cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return copy_peer(dst, dstDevice, src, srcDevice, count, kAtOnce);
}
cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                                cudaStream_t stream) {
  return copy_peer(dst, dstDevice, src, srcDevice, count, {true, stream});
}
cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return copy_rows({dst, dpitch, src, spitch, width, height}, kind, kAtOnce);
}
cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_rows({dst, dpitch, src, spitch, width, height}, kind, {true, stream});
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset, cudaMemcpyKind kind) {
  return copy_to_symbol(symbol, src, count, offset, kind, kAtOnce);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to_symbol(symbol, src, count, offset, kind, {true, stream});
}
cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return copy_from_symbol(dst, symbol, count, offset, kind, kAtOnce);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return copy_from_symbol(dst, symbol, count, offset, kind, {true, stream});
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return fill(address_of(devPtr), value, count, kAtOnce);
}
cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return fill(address_of(devPtr), value, count, {true, stream});
}
cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return fill_rows(address_of(devPtr), pitch, value, width, height, kAtOnce);
}
cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return fill_rows(address_of(devPtr), pitch, value, width, height, {true, stream});
}
cudaError_t cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
  return fill_planes(pitchedDevPtr, value, extent, kAtOnce);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_planes(pitchedDevPtr, value, extent, {true, stream});
}

}  // namespace hooks
}  // namespace nvmlab::cudart
