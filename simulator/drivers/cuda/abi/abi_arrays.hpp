// SPDX-License-Identifier: Apache-2.0
// The types of arrays, textures and surfaces, as the C interface of libcuda has them. Included by abi.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

using CUarray = struct CUarray_st*;
using CUmipmappedArray = struct CUmipmappedArray_st*;
using CUtexref = struct CUtexref_st*;
using CUsurfref = struct CUsurfref_st*;
using CUtexObject = unsigned long long;
using CUsurfObject = unsigned long long;
using CUaddress_mode = int;
using CUfilter_mode = int;

struct CUDA_ARRAY_DESCRIPTOR {
  std::size_t Width;
  std::size_t Height;
  int Format;
  unsigned int NumChannels;
};

struct CUDA_ARRAY3D_DESCRIPTOR {
  std::size_t Width;
  std::size_t Height;
  std::size_t Depth;
  int Format;
  unsigned int NumChannels;
  unsigned int Flags;
};

// Of cuMemcpy3D_v2; types as those of CUDA_MEMCPY2D.
struct CUDA_MEMCPY3D {
  std::size_t srcXInBytes;
  std::size_t srcY;
  std::size_t srcZ;
  std::size_t srcLOD;
  int srcMemoryType;
  const void* srcHost;
  unsigned long long srcDevice;
  CUarray srcArray;
  void* reserved0;
  std::size_t srcPitch;
  std::size_t srcHeight;
  std::size_t dstXInBytes;
  std::size_t dstY;
  std::size_t dstZ;
  std::size_t dstLOD;
  int dstMemoryType;
  void* dstHost;
  unsigned long long dstDevice;
  CUarray dstArray;
  void* reserved1;
  std::size_t dstPitch;
  std::size_t dstHeight;
  std::size_t WidthInBytes;
  std::size_t Height;
  std::size_t Depth;
};

// Type 0 is an array, 1 one with mipmaps, 2 linear memory, 3 rows with a pitch.
struct CUDA_RESOURCE_DESC {
  int resType;
  union {
    CUarray array;
    CUmipmappedArray mipmap;
    struct {
      unsigned long long devPtr;
      int format;
      unsigned int numChannels;
      std::size_t sizeInBytes;
    } linear;
    struct {
      unsigned long long devPtr;
      int format;
      unsigned int numChannels;
      std::size_t width;
      std::size_t height;
      std::size_t pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned int flags;
};

struct CUDA_TEXTURE_DESC {
  int addressMode[3];
  int filterMode;
  unsigned int flags;
  unsigned int maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};

using CUtensorMapDataType = int;
using CUtensorMapInterleave = int;
using CUtensorMapSwizzle = int;
using CUtensorMapL2promotion = int;
using CUtensorMapFloatOOBfill = int;
struct alignas(64) CUtensorMap {
  std::uint64_t opaque[16];
};

struct CUDA_ARRAY_SPARSE_PROPERTIES;
struct CUDA_ARRAY_MEMORY_REQUIREMENTS;

struct CUDA_RESOURCE_VIEW_DESC {
  int format;
  std::size_t width;
  std::size_t height;
  std::size_t depth;
  unsigned int firstMipmapLevel;
  unsigned int lastMipmapLevel;
  unsigned int firstLayer;
  unsigned int lastLayer;
  unsigned int reserved[16];
};

}  // extern "C"
