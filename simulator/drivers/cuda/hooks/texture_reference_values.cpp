// SPDX-License-Identifier: Apache-2.0
// What references to textures were set to and bound to. Tests: tests/drivers/cuda/texture_references_test.cpp.
#include <cstring>

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/modules/textures.hpp"

namespace nvmlab::cuda {
namespace {

enum Bound : int { kArray = 0, kMipmapped = 1, kLinear = 2, kRows = 3 };

// Calls body(texture), which says CUDA_ERROR_INVALID_VALUE where there is nothing to be told.
template <class Out, class Body>
CUresult ask(const void* handle, Out* out, const Body& body) {
  return out == nullptr ? CUDA_ERROR_INVALID_VALUE : with_reference(handle, body);
}

template <class T, class Out>
CUresult get(const void* handle, T CUDA_TEXTURE_DESC::*which, Out* out) {
  return ask(handle, out, [&](const TextureState& texture) {
    *out = static_cast<Out>(texture.texture.*which);
    return CUDA_SUCCESS;
  });
}

CUresult array_of(CUarray* out, const void* handle) {
  return ask(handle, out, [&](const TextureState& texture) {
    if (texture.resource.resType != kArray) return CUDA_ERROR_INVALID_VALUE;
    *out = texture.resource.res.array;
    return CUDA_SUCCESS;
  });
}

struct Element {
  int format;
  unsigned int channels;
};

// An array has a format of its own; for linear memory it is the one that was set.
bool element_of(const CUDA_RESOURCE_DESC& of, Element* out) {
  const auto tell = [out](const CUDA_ARRAY3D_DESCRIPTOR& as) {
    *out = {static_cast<int>(as.Format), as.NumChannels};
    return true;
  };
  if (of.resType == kArray) {
    const ArrayState* const array = find_array(of.res.array);
    return array != nullptr && tell(array->of);
  }
  if (of.resType == kMipmapped) {
    const MipmapState* const mipmap = find_mipmap(of.res.mipmap);
    return mipmap != nullptr && tell(mipmap->of);
  }
  if (of.resType == kRows) {
    *out = {static_cast<int>(of.res.pitch2D.format), of.res.pitch2D.numChannels};
  } else {
    *out = {static_cast<int>(of.res.linear.format), of.res.linear.numChannels};
  }
  return out->channels != 0;
}

}  // namespace

namespace hooks {

CUresult cuTexRefGetArray(CUarray* phArray, CUtexref hTexRef) { return array_of(phArray, hTexRef); }
CUresult cuSurfRefGetArray(CUarray* phArray, CUsurfref hSurfRef) { return array_of(phArray, hSurfRef); }
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* phMipmappedArray, CUtexref hTexRef) {
  return ask(hTexRef, phMipmappedArray, [&](const TextureState& texture) {
    if (texture.resource.resType != kMipmapped) return CUDA_ERROR_INVALID_VALUE;
    *phMipmappedArray = texture.resource.res.mipmap;
    return CUDA_SUCCESS;
  });
}
CUresult cuTexRefGetAddress_v2(CUdeviceptr* pdptr, CUtexref hTexRef) {
  return ask(hTexRef, pdptr, [&](const TextureState& texture) {
    const CUDA_RESOURCE_DESC& of = texture.resource;
    if (of.resType != kLinear && of.resType != kRows) return CUDA_ERROR_INVALID_VALUE;
    *pdptr = of.resType == kLinear ? of.res.linear.devPtr : of.res.pitch2D.devPtr;
    return CUDA_SUCCESS;
  });
}
CUresult cuTexRefGetFormat(CUarray_format* pFormat, int* pNumChannels, CUtexref hTexRef) {
  if (pNumChannels == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return ask(hTexRef, pFormat, [&](const TextureState& texture) {
    Element element{};
    if (!element_of(texture.resource, &element)) return CUDA_ERROR_INVALID_VALUE;
    *pFormat = static_cast<CUarray_format>(element.format);
    *pNumChannels = static_cast<int>(element.channels);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetAddressMode(CUaddress_mode* pam, CUtexref hTexRef, int dim) {
  if (dim < 0 || dim > 2) return CUDA_ERROR_INVALID_VALUE;
  return ask(hTexRef, pam, [&](const TextureState& texture) {
    *pam = texture.texture.addressMode[dim];
    return CUDA_SUCCESS;
  });
}
CUresult cuTexRefGetFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  return get(hTexRef, &CUDA_TEXTURE_DESC::filterMode, pfm);
}
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  return get(hTexRef, &CUDA_TEXTURE_DESC::mipmapFilterMode, pfm);
}
CUresult cuTexRefGetMipmapLevelBias(float* pbias, CUtexref hTexRef) {
  return get(hTexRef, &CUDA_TEXTURE_DESC::mipmapLevelBias, pbias);
}
CUresult cuTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp, CUtexref hTexRef) {
  if (pmaxMipmapLevelClamp == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = get(hTexRef, &CUDA_TEXTURE_DESC::minMipmapLevelClamp, pminMipmapLevelClamp);
  return code != CUDA_SUCCESS ? code : get(hTexRef, &CUDA_TEXTURE_DESC::maxMipmapLevelClamp, pmaxMipmapLevelClamp);
}
CUresult cuTexRefGetMaxAnisotropy(int* pmaxAniso, CUtexref hTexRef) {
  return get(hTexRef, &CUDA_TEXTURE_DESC::maxAnisotropy, pmaxAniso);
}
CUresult cuTexRefGetFlags(unsigned int* pFlags, CUtexref hTexRef) {
  return get(hTexRef, &CUDA_TEXTURE_DESC::flags, pFlags);
}
CUresult cuTexRefGetBorderColor(float* pBorderColor, CUtexref hTexRef) {
  return ask(hTexRef, pBorderColor, [&](const TextureState& texture) {
    std::memcpy(pBorderColor, texture.texture.borderColor, sizeof texture.texture.borderColor);
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
