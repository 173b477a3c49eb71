// SPDX-License-Identifier: Apache-2.0
// The types of arrays, textures and surfaces, as the C interface of libcudart has them. Included by abi.hpp.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

extern "C" {

using cudaArray_t = CUarray;
using cudaArray_const_t = CUarray;
using cudaMipmappedArray_t = CUmipmappedArray;
using cudaMipmappedArray_const_t = CUmipmappedArray;
using cudaTextureObject_t = CUtexObject;
using cudaSurfaceObject_t = CUsurfObject;

struct cudaExtent {
  std::size_t width;
  std::size_t height;
  std::size_t depth;
};

struct cudaChannelFormatDesc {
  int x;
  int y;
  int z;
  int w;
  int f;
};

// Type 0 is an array, 1 one with mipmaps, 2 linear memory, 3 rows with a pitch.
struct cudaResourceDesc {
  int resType;
  union {
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width;
      std::size_t height;
      std::size_t pitchInBytes;
    } pitch2D;
  } res;  // CUDA 13 has more room here, and flags behind it, which are 0
};

struct cudaTextureDesc {
  int addressMode[3];
  int filterMode;
  int readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
};

// Formats have the driver's numbers.
struct cudaResourceViewDesc : CUDA_RESOURCE_VIEW_DESC {};

}  // extern "C"
