// SPDX-License-Identifier: Apache-2.0
// References of modules to textures and surfaces, as programs of before CUDA 12 have them. Tests:
// tests/drivers/cuda/textures_test.cpp.
#include <cstring>

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/modules/textures.hpp"

namespace nvmlab::cuda {
namespace {

constexpr unsigned int kOverrideFormat = 1;

CUresult reference(CUmodule module, const char* name, bool surface, std::uint64_t* out) {
  if (out == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? find_reference(module, name, surface, out) : guard.code();
}

// What is bound, where it can be.
CUresult bind(TextureState& texture, const CUDA_RESOURCE_DESC& resource) {
  if (const CUresult code = check_texture(resource, texture.texture); code != CUDA_SUCCESS) return code;
  texture.resource = resource;
  return CUDA_SUCCESS;
}

CUresult bind_array(const void* handle, CUarray array, unsigned int flags) {
  if ((flags & ~kOverrideFormat) != 0) return CUDA_ERROR_INVALID_VALUE;
  return with_reference(handle, [&](TextureState& texture) {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array = array;
    return bind(texture, resource);
  });
}

// A number of the texture is set, where the whole remains one that can be.
template <class T>
CUresult set(const void* handle, T CUDA_TEXTURE_DESC::*which, T value) {
  return with_reference(handle, [&](TextureState& texture) {
    texture.texture.*which = value;
    return CUDA_SUCCESS;
  });
}

CUresult bind_rows(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr, size_t pitch) {
  if (desc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_reference(handle, [&](TextureState& texture) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = 3;
    resource.res.pitch2D = {dptr, desc->Format, desc->NumChannels, desc->Width, desc->Height, pitch};
    return bind(texture, resource);
  });
}

}  // namespace

namespace hooks {

CUresult cuModuleGetTexRef(CUtexref* pTexRef, CUmodule hmod, const char* name) {
  return reference(hmod, name, false, reinterpret_cast<std::uint64_t*>(pTexRef));
}
CUresult cuModuleGetSurfRef(CUsurfref* pSurfRef, CUmodule hmod, const char* name) {
  return reference(hmod, name, true, reinterpret_cast<std::uint64_t*>(pSurfRef));
}

// Such a one has no name in a module, so no kernel reads it.
CUresult cuTexRefCreate(CUtexref* pTexRef) {
  if (pTexRef == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  return create_reference(guard.handle(), reinterpret_cast<std::uint64_t*>(pTexRef));
}
CUresult cuTexRefDestroy(CUtexref hTexRef) {
  const ContextGuard guard;
  return guard.code() == CUDA_SUCCESS ? destroy_reference(hTexRef) : guard.code();
}
// A reference of the kernel's module is its kernels' already.
CUresult cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef) {
  constexpr int kDefault = -1;
  if (texunit != kDefault) return CUDA_ERROR_INVALID_VALUE;
  return with_reference(hTexRef, [&](const TextureState& texture) {
    const FunctionState* const function = find_function(hfunc);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return function->module == texture.module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
  return bind_array(hTexRef, hArray, Flags);
}
CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
  return Flags != 0 ? CUDA_ERROR_INVALID_VALUE : bind_array(hSurfRef, hArray, 0);
}
CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags) {
  if ((Flags & ~kOverrideFormat) != 0) return CUDA_ERROR_INVALID_VALUE;
  return with_reference(hTexRef, [&](TextureState& texture) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = 1;
    resource.res.mipmap = hMipmappedArray;
    return bind(texture, resource);
  });
}

// The format is the one that cuTexRefSetFormat has given; without one a number of 32 bits.
CUresult cuTexRefSetAddress_v2(size_t* ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes) {
  return with_reference(hTexRef, [&](TextureState& texture) {
    CUDA_RESOURCE_DESC resource{};
    const bool known = texture.resource.resType == 2 || texture.resource.resType == -1;
    resource.resType = 2;
    resource.res.linear = {dptr, 0x20, 1, bytes};
    if (known && texture.resource.res.linear.numChannels != 0) {
      resource.res.linear.format = texture.resource.res.linear.format;
      resource.res.linear.numChannels = texture.resource.res.linear.numChannels;
    }
    if (ByteOffset != nullptr) *ByteOffset = 0;
    return bind(texture, resource);
  });
}
CUresult cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr, size_t Pitch) {
  return bind_rows(hTexRef, desc, dptr, Pitch);
}
CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr, size_t Pitch) {
  return bind_rows(hTexRef, desc, dptr, Pitch);
}
// An array has its own format; what is given here is for linear memory.
CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
  if (NumPackedComponents < 0 || element_bytes(fmt, static_cast<std::uint32_t>(NumPackedComponents)) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  return with_reference(hTexRef, [&](TextureState& texture) {
    if (texture.resource.resType != -1 && texture.resource.resType != 2) return CUDA_SUCCESS;
    texture.resource.res.linear.format = fmt;
    texture.resource.res.linear.numChannels = static_cast<unsigned int>(NumPackedComponents);
    return CUDA_SUCCESS;
  });
}
CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
  if (dim < 0 || dim > 2 || am < 0 || am > 3) return CUDA_ERROR_INVALID_VALUE;
  return with_reference(hTexRef, [&](TextureState& texture) {
    texture.texture.addressMode[dim] = am;
    return CUDA_SUCCESS;
  });
}
CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return (fm | 1) != 1 ? CUDA_ERROR_INVALID_VALUE : set(hTexRef, &CUDA_TEXTURE_DESC::filterMode, fm);
}
CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return (fm | 1) != 1 ? CUDA_ERROR_INVALID_VALUE : set(hTexRef, &CUDA_TEXTURE_DESC::mipmapFilterMode, fm);
}
CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
  return set(hTexRef, &CUDA_TEXTURE_DESC::mipmapLevelBias, bias);
}
CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp) {
  const CUresult code = set(hTexRef, &CUDA_TEXTURE_DESC::minMipmapLevelClamp, minMipmapLevelClamp);
  return code != CUDA_SUCCESS ? code : set(hTexRef, &CUDA_TEXTURE_DESC::maxMipmapLevelClamp, maxMipmapLevelClamp);
}
CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
  return set(hTexRef, &CUDA_TEXTURE_DESC::maxAnisotropy, maxAniso);
}
CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
  return set(hTexRef, &CUDA_TEXTURE_DESC::flags, Flags);
}
CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float* pBorderColor) {
  if (pBorderColor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_reference(hTexRef, [&](TextureState& texture) {
    std::memcpy(texture.texture.borderColor, pBorderColor, sizeof texture.texture.borderColor);
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
