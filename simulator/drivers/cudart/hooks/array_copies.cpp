// SPDX-License-Identifier: Apache-2.0
// Copies from and to arrays: boxes of rows, and runs of bytes that go on in the next row. Tests:
// tests/drivers/cudart/arrays_test.cpp.
#include "drivers/cudart/boxes.hpp"
#include "drivers/cudart/formats.hpp"
#include "drivers/cudart/generated/hooks.hpp"

namespace nvmlab::cudart {
namespace {

Corner in_array(cudaArray_t array, std::size_t x, std::size_t y) { return {array, nullptr, 0, 0, x, y, 0}; }
Corner in_memory(const void* pointer, std::size_t pitch) { return {nullptr, pointer, pitch, 0, 0, 0, 0}; }

cudaError_t copy_rows(const Corner& to, const Corner& from, std::size_t width, std::size_t height, int kind,
                      Order order) {
  return with_context([&](const Driver& below) {
    CUDA_MEMCPY3D box{};
    const cudaError_t code = make_box(to, from, {width, height, 1}, kind, &box);
    return code == cudaSuccess ? copy_box(below, box, order) : code;
  });
}

// Bytes of a row; of memory there is but one.
cudaError_t row_of(const Driver& below, const Corner& of, std::size_t* bytes) {
  *bytes = ~std::size_t{0};
  if (of.array == nullptr) return cudaSuccess;
  CUDA_ARRAY3D_DESCRIPTOR told{};
  const cudaError_t code = describe_array(below, of.array, &told);
  if (code == cudaSuccess) *bytes = told.Width * element_bytes({told.Format, told.NumChannels});
  return code;
}

void advance(Corner& of, std::size_t bytes, std::size_t row) {
  if (of.array == nullptr) {
    of.pointer = static_cast<const char*>(of.pointer) + bytes;
  } else {
    of.x += bytes;
    of.y += of.x / row;
    of.x %= row;
  }
}

// Row by row, as both sides may break theirs in different places.
cudaError_t copy_run(Corner to, Corner from, std::size_t count, int kind, Order order) {
  return with_context([&](const Driver& below) {
    std::size_t to_row = 0;
    std::size_t from_row = 0;
    cudaError_t code = row_of(below, to, &to_row);
    if (code == cudaSuccess) code = row_of(below, from, &from_row);
    if (code == cudaSuccess && (to.x >= to_row || from.x >= from_row)) code = cudaErrorInvalidValue;
    while (code == cudaSuccess && count != 0) {
      std::size_t bytes = count < to_row - to.x ? count : to_row - to.x;
      bytes = bytes < from_row - from.x ? bytes : from_row - from.x;
      to.pitch = from.pitch = bytes;
      CUDA_MEMCPY3D box{};
      code = make_box(to, from, {bytes, 1, 1}, kind, &box);
      if (code == cudaSuccess) code = copy_box(below, box, order);
      advance(to, bytes, to_row);
      advance(from, bytes, from_row);
      count -= bytes;
    }
    return code;
  });
}

cudaError_t copy_parameters(const cudaMemcpy3DParms& asked, Order order) {
  return with_context([&](const Driver& below) {
    CUDA_MEMCPY3D box{};
    const cudaError_t code = box_of(below, asked, &box);
    return code == cudaSuccess ? copy_box(below, box, order) : code;
  });
}

// All memory is reached from everywhere, so the devices are checked and nothing else depends on them.
cudaError_t copy_between_devices(const cudaMemcpy3DPeerParms* p, Order order) {
  if (p == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver&) {
    cudaError_t code = check_device(p->srcDevice);
    if (code == cudaSuccess) code = check_device(p->dstDevice);
    return code == cudaSuccess ? copy_parameters({p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr,
                                                  p->extent, static_cast<cudaMemcpyKind>(kDeviceToDevice)},
                                                 order)
                               : code;
  });
}

}  // namespace

namespace hooks {

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return p == nullptr ? cudaErrorInvalidValue : copy_parameters(*p, kAtOnce);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return p == nullptr ? cudaErrorInvalidValue : copy_parameters(*p, {true, stream});
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) { return copy_between_devices(p, kAtOnce); }
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_between_devices(p, {true, stream});
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_rows(in_array(dst, wOffset, hOffset), in_memory(src, spitch), width, height, kind, kAtOnce);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_rows(in_array(dst, wOffset, hOffset), in_memory(src, spitch), width, height, kind, {true, stream});
}
cudaError_t cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_rows(in_memory(dst, dpitch), in_array(src, wOffset, hOffset), width, height, kind, kAtOnce);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                       size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_rows(in_memory(dst, dpitch), in_array(src, wOffset, hOffset), width, height, kind, {true, stream});
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                     size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return copy_rows(in_array(dst, wOffsetDst, hOffsetDst), in_array(src, wOffsetSrc, hOffsetSrc), width, height, kind,
                   kAtOnce);
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                              cudaMemcpyKind kind) {
  return copy_run(in_array(dst, wOffset, hOffset), in_memory(src, 0), count, kind, kAtOnce);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_run(in_array(dst, wOffset, hOffset), in_memory(src, 0), count, kind, {true, stream});
}
cudaError_t cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                cudaMemcpyKind kind) {
  return copy_run(in_memory(dst, 0), in_array(src, wOffset, hOffset), count, kind, kAtOnce);
}
cudaError_t cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_run(in_memory(dst, 0), in_array(src, wOffset, hOffset), count, kind, {true, stream});
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc, size_t count, cudaMemcpyKind kind) {
  return copy_run(in_array(dst, wOffsetDst, hOffsetDst), in_array(src, wOffsetSrc, hOffsetSrc), count, kind, kAtOnce);
}

}  // namespace hooks
}  // namespace nvmlab::cudart
