// SPDX-License-Identifier: Apache-2.0
// Arrays: made, described, freed. Tests: tests/drivers/cudart/arrays_test.cpp.
#include "drivers/cudart/boxes.hpp"
#include "drivers/cudart/formats.hpp"
#include "drivers/cudart/generated/hooks.hpp"

namespace nvmlab::cudart {
namespace {

cudaError_t descriptor_of(const cudaChannelFormatDesc* desc, const cudaExtent& extent, unsigned flags,
                          CUDA_ARRAY3D_DESCRIPTOR* out) {
  if (desc == nullptr) return cudaErrorInvalidValue;
  Format format{};
  const cudaError_t code = format_of(*desc, &format);
  *out = {extent.width, extent.height, extent.depth, format.format, format.channels, flags};
  return code;
}

}  // namespace

namespace hooks {

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent,
                              unsigned int flags) {
  if (array == nullptr) return cudaErrorInvalidValue;
  *array = nullptr;
  return with_context([&](const Driver& below) {
    CUDA_ARRAY3D_DESCRIPTOR asked{};
    const cudaError_t code = descriptor_of(desc, extent, flags, &asked);
    return code == cudaSuccess ? ask(below.cuArray3DCreate_v2, array, &asked) : code;
  });
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width, size_t height,
                            unsigned int flags) {
  return cudaMalloc3DArray(array, desc, {width, height, 0}, flags);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmappedArray, const cudaChannelFormatDesc* desc,
                                     cudaExtent extent, unsigned int numLevels, unsigned int flags) {
  if (mipmappedArray == nullptr) return cudaErrorInvalidValue;
  *mipmappedArray = nullptr;
  return with_context([&](const Driver& below) {
    CUDA_ARRAY3D_DESCRIPTOR asked{};
    const cudaError_t code = descriptor_of(desc, extent, flags, &asked);
    return code == cudaSuccess ? ask(below.cuMipmappedArrayCreate, mipmappedArray, &asked, numLevels) : code;
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return with_context(
      [&](const Driver& below) { return array == nullptr ? cudaSuccess : ask(below.cuArrayDestroy, array); });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
  return with_context([&](const Driver& below) {
    return mipmappedArray == nullptr ? cudaSuccess : ask(below.cuMipmappedArrayDestroy, mipmappedArray);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned int* flags, cudaArray_t array) {
  return with_context([&](const Driver& below) {
    CUDA_ARRAY3D_DESCRIPTOR of{};
    const cudaError_t code = describe_array(below, array, &of);
    if (code != cudaSuccess) return code;
    if (desc != nullptr) *desc = channels_of({of.Format, of.NumChannels});
    if (extent != nullptr) *extent = {of.Width, of.Height, of.Depth};
    if (flags != nullptr) *flags = of.Flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return desc == nullptr ? cudaErrorInvalidValue : cudaArrayGetInfo(desc, nullptr, nullptr, array);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, const cudaChannelFormatDesc* fmtDesc,
                                                 int device) {
  if (maxWidthInElements == nullptr || fmtDesc == nullptr) return cudaErrorInvalidValue;
  return with_driver([&](const Driver& below) {
    Format format{};
    const cudaError_t code = format_of(*fmtDesc, &format);
    return code == cudaSuccess ? ask(below.cuDeviceGetTexture1DLinearMaxWidth, maxWidthInElements, format.format,
                                     format.channels, device)
                               : code;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cudart
