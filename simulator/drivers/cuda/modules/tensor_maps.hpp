// SPDX-License-Identifier: Apache-2.0
// Tensor maps: what cuda.h says of their parameters, checked, and written as kernels read them
// (kernels/tensor_maps_api.h). Tests: tests/drivers/cuda/tensor_maps_test.cpp.
#pragma once

#include "drivers/cuda/abi/abi.hpp"
#include "kernels/tensor_maps_api.h"

namespace nvmlab::cuda {

// What maps of both kinds are made of.
struct TensorAsked {
  CUtensorMapDataType type;
  std::uint32_t rank;
  std::uint64_t address;
  const cuuint64_t* sizes;
  const cuuint64_t* strides;  // of each dimension but the first
  const cuuint32_t* steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

// CUDA_ERROR_INVALID_VALUE: there is no such map.
CUresult tiled_map(const TensorAsked& asked, const cuuint32_t* box, nvmlab_tensor_map* out);

struct Im2colAsked {
  const int* lower;
  const int* upper;
  std::uint32_t channels;  // of a pixel
  std::uint32_t pixels;    // of a column
};
CUresult im2col_map(const TensorAsked& asked, const Im2colAsked& columns, nvmlab_tensor_map* out);

bool may_begin_at(const nvmlab_tensor_map& map, std::uint64_t address);

}  // namespace nvmlab::cuda
