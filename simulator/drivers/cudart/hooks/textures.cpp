// SPDX-License-Identifier: Apache-2.0
// Objects for textures and surfaces, in the runtime's structs. Tests: tests/drivers/cudart/textures_test.cpp.
#include <cstring>

#include "drivers/cudart/formats.hpp"
#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/runtime.hpp"

namespace nvmlab::cudart {
namespace {

enum ResourceType : int { kArray = 0, kMipmapped = 1, kLinear = 2, kPitched = 3 };

// Flags of the driver's, for what the runtime has a member of its own.
constexpr unsigned kReadAsInteger = 0x01;
constexpr unsigned kNormalizedCoordinates = 0x02;
constexpr unsigned kSrgb = 0x10;
constexpr unsigned kNoTrilinearOptimization = 0x20;
constexpr unsigned kSeamlessCubemap = 0x40;

cudaError_t resource_of(const cudaResourceDesc& of, CUDA_RESOURCE_DESC* out) {
  Format format{};
  cudaError_t code = cudaSuccess;
  *out = {};
  out->resType = of.resType;
  switch (of.resType) {
    case kArray:
      out->res.array = of.res.array;
      return cudaSuccess;
    case kMipmapped:
      out->res.mipmap = of.res.mipmap;
      return cudaSuccess;
    case kLinear:
      code = format_of(of.res.linear.desc, &format);
      out->res.linear = {address_of(of.res.linear.devPtr), format.format, format.channels, of.res.linear.sizeInBytes};
      return code;
    case kPitched:
      code = format_of(of.res.pitch2D.desc, &format);
      out->res.pitch2D = {address_of(of.res.pitch2D.devPtr),
                          format.format,
                          format.channels,
                          of.res.pitch2D.width,
                          of.res.pitch2D.height,
                          of.res.pitch2D.pitchInBytes};
      return code;
    default:
      return cudaErrorInvalidValue;
  }
}

// CUDA 13 has more behind what both have.
void tell_resource(const CUDA_RESOURCE_DESC& of, cudaResourceDesc* out) {
  std::memset(static_cast<void*>(out), 0, kRuntimeVersion >= 13000 ? sizeof of : sizeof *out);
  out->resType = of.resType;
  const auto& linear = of.res.linear;
  const auto& rows = of.res.pitch2D;
  if (of.resType == kLinear) {
    out->res.linear = {pointer_to(linear.devPtr), channels_of({linear.format, linear.numChannels}), linear.sizeInBytes};
  } else if (of.resType == kPitched) {
    out->res.pitch2D = {pointer_to(rows.devPtr), channels_of({rows.format, rows.numChannels}), rows.width, rows.height,
                        rows.pitchInBytes};
  } else {
    out->res.array = of.res.array;
  }
}

CUDA_TEXTURE_DESC texture_of(const cudaTextureDesc& of) {
  CUDA_TEXTURE_DESC made{};
  const auto flag = [](int asked, unsigned bit) { return asked != 0 ? bit : 0U; };
  std::memcpy(made.addressMode, of.addressMode, sizeof made.addressMode);
  made.filterMode = of.filterMode;
  made.flags = flag(of.readMode == 0 ? 1 : 0, kReadAsInteger) | flag(of.normalizedCoords, kNormalizedCoordinates) |
               flag(of.sRGB, kSrgb) | flag(of.disableTrilinearOptimization, kNoTrilinearOptimization) |
               flag(of.seamlessCubemap, kSeamlessCubemap);
  made.maxAnisotropy = of.maxAnisotropy;
  made.mipmapFilterMode = of.mipmapFilterMode;
  made.mipmapLevelBias = of.mipmapLevelBias;
  made.minMipmapLevelClamp = of.minMipmapLevelClamp;
  made.maxMipmapLevelClamp = of.maxMipmapLevelClamp;
  std::memcpy(made.borderColor, of.borderColor, sizeof made.borderColor);
  return made;
}

cudaTextureDesc told_of(const CUDA_TEXTURE_DESC& of) {
  cudaTextureDesc told{};
  const auto has = [&](unsigned bit) { return (of.flags & bit) != 0 ? 1 : 0; };
  std::memcpy(told.addressMode, of.addressMode, sizeof told.addressMode);
  told.filterMode = of.filterMode;
  told.readMode = 1 - has(kReadAsInteger);
  told.sRGB = has(kSrgb);
  std::memcpy(told.borderColor, of.borderColor, sizeof told.borderColor);
  told.normalizedCoords = has(kNormalizedCoordinates);
  told.maxAnisotropy = of.maxAnisotropy;
  told.mipmapFilterMode = of.mipmapFilterMode;
  told.mipmapLevelBias = of.mipmapLevelBias;
  told.minMipmapLevelClamp = of.minMipmapLevelClamp;
  told.maxMipmapLevelClamp = of.maxMipmapLevelClamp;
  told.disableTrilinearOptimization = has(kNoTrilinearOptimization);
  told.seamlessCubemap = has(kSeamlessCubemap);
  return told;
}

}  // namespace

namespace hooks {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* pTexObject, const cudaResourceDesc* pResDesc,
                                    const cudaTextureDesc* pTexDesc, const cudaResourceViewDesc* pResViewDesc) {
  if (pTexObject == nullptr || pResDesc == nullptr || pTexDesc == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUDA_RESOURCE_DESC resource{};
    const CUDA_TEXTURE_DESC texture = texture_of(*pTexDesc);
    const cudaError_t code = resource_of(*pResDesc, &resource);
    return code == cudaSuccess ? ask(below.cuTexObjectCreate, pTexObject, &resource, &texture, pResViewDesc) : code;
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* pResDesc, cudaTextureObject_t texObject) {
  if (pResDesc == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUDA_RESOURCE_DESC resource{};
    const cudaError_t code = ask(below.cuTexObjectGetResourceDesc, &resource, texObject);
    if (code == cudaSuccess) tell_resource(resource, pResDesc);
    return code;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* pTexDesc, cudaTextureObject_t texObject) {
  if (pTexDesc == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUDA_TEXTURE_DESC texture{};
    const cudaError_t code = ask(below.cuTexObjectGetTextureDesc, &texture, texObject);
    if (code == cudaSuccess) *pTexDesc = told_of(texture);
    return code;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject, const cudaResourceDesc* pResDesc) {
  if (pSurfObject == nullptr || pResDesc == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUDA_RESOURCE_DESC resource{};
    const cudaError_t code = resource_of(*pResDesc, &resource);
    return code == cudaSuccess ? ask(below.cuSurfObjectCreate, pSurfObject, &resource) : code;
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* pResDesc, cudaSurfaceObject_t surfObject) {
  if (pResDesc == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUDA_RESOURCE_DESC resource{};
    const cudaError_t code = ask(below.cuSurfObjectGetResourceDesc, &resource, surfObject);
    if (code == cudaSuccess) tell_resource(resource, pResDesc);
    return code;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cudart
