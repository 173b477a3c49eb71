// SPDX-License-Identifier: Apache-2.0
#include "drivers/cudart/boxes.hpp"

#include "drivers/cudart/formats.hpp"
#include "drivers/cudart/images.hpp"

namespace nvmlab::cudart {
namespace {

// An array lies on the device.
bool fits(const Corner& of, Side side) { return of.array == nullptr || side != kHostSide; }

int direction_of(int from, int to) {
  if (from == kEitherSide || to == kEitherSide) return kByAddress;
  if (from == kHostSide) return to == kHostSide ? kHostToHost : kHostToDevice;
  return to == kHostSide ? kDeviceToHost : kDeviceToDevice;
}

// Elements of the arrays that take part, which have one size; bytes where there is none.
cudaError_t unit_of(const Driver& below, cudaArray_t one, cudaArray_t other, std::size_t* bytes) {
  *bytes = 1;
  cudaError_t code = one == nullptr ? cudaSuccess : element_of(below, one, bytes);
  if (code != cudaSuccess || other == nullptr) return code;
  std::size_t also = *bytes;
  code = element_of(below, other, &also);
  if (code == cudaSuccess && one != nullptr && also != *bytes) return cudaErrorInvalidValue;
  *bytes = also;
  return code;
}

Corner corner_of(cudaArray_t array, const cudaPitchedPtr& pointer, const cudaPos& at, std::size_t unit) {
  return {array, pointer.ptr, pointer.pitch, pointer.ysize, array == nullptr ? at.x : at.x * unit, at.y, at.z};
}

cudaError_t part_of(const void* symbol, std::size_t bytes, std::size_t offset, CUdeviceptr* address) {
  std::size_t size = 0;
  if (const cudaError_t code = variable_of(symbol, address, &size); code != cudaSuccess) return code;
  if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
  *address += offset;
  return cudaSuccess;
}

}  // namespace

cudaError_t target_variable(const void* symbol, std::size_t bytes, std::size_t offset, int kind, CUdeviceptr* address) {
  if (kind != kHostToDevice && kind != kDeviceToDevice && kind != kByAddress) return cudaErrorInvalidMemcpyDirection;
  return part_of(symbol, bytes, offset, address);
}

cudaError_t source_variable(const void* symbol, std::size_t bytes, std::size_t offset, int kind, CUdeviceptr* address) {
  if (kind != kDeviceToHost && kind != kDeviceToDevice && kind != kByAddress) return cudaErrorInvalidMemcpyDirection;
  return part_of(symbol, bytes, offset, address);
}

cudaError_t make_box(const Corner& to, const Corner& from, const cudaExtent& bytes, int kind, CUDA_MEMCPY3D* out) {
  if (!is_direction(kind)) return cudaErrorInvalidMemcpyDirection;
  if (!fits(to, target_of(kind)) || !fits(from, source_of(kind))) return cudaErrorInvalidMemcpyDirection;
  *out = {};
  out->srcXInBytes = from.x;
  out->srcY = from.y;
  out->srcZ = from.z;
  out->srcMemoryType = from.array != nullptr ? kArraySide : source_of(kind);
  out->srcHost = from.pointer;
  out->srcDevice = address_of(from.pointer);
  out->srcArray = from.array;
  out->srcPitch = from.pitch;
  out->srcHeight = from.rows;
  out->dstXInBytes = to.x;
  out->dstY = to.y;
  out->dstZ = to.z;
  out->dstMemoryType = to.array != nullptr ? kArraySide : target_of(kind);
  out->dstHost = const_cast<void*>(to.pointer);
  out->dstDevice = address_of(to.pointer);
  out->dstArray = to.array;
  out->dstPitch = to.pitch;
  out->dstHeight = to.rows;
  out->WidthInBytes = bytes.width;
  out->Height = bytes.height;
  out->Depth = bytes.depth;
  return cudaSuccess;
}

cudaError_t copy_box(const Driver& below, const CUDA_MEMCPY3D& box, Order order) {
  if (box.WidthInBytes == 0 || box.Height == 0 || box.Depth == 0) return cudaSuccess;
  return order.async ? ask(below.cuMemcpy3DAsync_v2, &box, order.stream) : ask(below.cuMemcpy3D_v2, &box);
}

cudaError_t describe_array(const Driver& below, cudaArray_t array, CUDA_ARRAY3D_DESCRIPTOR* out) {
  return array == nullptr ? cudaErrorInvalidResourceHandle : ask(below.cuArray3DGetDescriptor_v2, out, array);
}

cudaError_t element_of(const Driver& below, cudaArray_t array, std::size_t* bytes) {
  CUDA_ARRAY3D_DESCRIPTOR of{};
  const cudaError_t code = describe_array(below, array, &of);
  if (code == cudaSuccess) *bytes = element_bytes({of.Format, of.NumChannels});
  return code;
}

cudaError_t box_of(const Driver& below, const cudaMemcpy3DParms& asked, CUDA_MEMCPY3D* out) {
  std::size_t unit = 1;
  if (const cudaError_t code = unit_of(below, asked.srcArray, asked.dstArray, &unit); code != cudaSuccess) return code;
  cudaExtent bytes = asked.extent;
  if (__builtin_mul_overflow(bytes.width, unit, &bytes.width)) return cudaErrorInvalidValue;
  return make_box(corner_of(asked.dstArray, asked.dstPtr, asked.dstPos, unit),
                  corner_of(asked.srcArray, asked.srcPtr, asked.srcPos, unit), bytes, asked.kind, out);
}

cudaError_t parameters_of(const Driver& below, const CUDA_MEMCPY3D& box, cudaMemcpy3DParms* out) {
  const cudaArray_t from = box.srcMemoryType == kArraySide ? box.srcArray : nullptr;
  const cudaArray_t to = box.dstMemoryType == kArraySide ? box.dstArray : nullptr;
  std::size_t unit = 1;
  if (const cudaError_t code = unit_of(below, from, to, &unit); code != cudaSuccess) return code;
  const auto pointer = [](int side, const void* host, CUdeviceptr device) {
    return side == kArraySide ? nullptr : side == kHostSide ? const_cast<void*>(host) : pointer_to(device);
  };
  *out = {};
  out->srcArray = from;
  out->srcPos = {from == nullptr ? box.srcXInBytes : box.srcXInBytes / unit, box.srcY, box.srcZ};
  out->srcPtr = {pointer(box.srcMemoryType, box.srcHost, box.srcDevice), box.srcPitch, box.srcPitch, box.srcHeight};
  out->dstArray = to;
  out->dstPos = {to == nullptr ? box.dstXInBytes : box.dstXInBytes / unit, box.dstY, box.dstZ};
  out->dstPtr = {pointer(box.dstMemoryType, box.dstHost, box.dstDevice), box.dstPitch, box.dstPitch, box.dstHeight};
  out->extent = {box.WidthInBytes / unit, box.Height, box.Depth};
  out->kind = static_cast<cudaMemcpyKind>(direction_of(box.srcMemoryType, box.dstMemoryType));
  return cudaSuccess;
}

}  // namespace nvmlab::cudart
