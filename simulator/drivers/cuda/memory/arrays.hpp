// SPDX-License-Identifier: Apache-2.0
//
// Arrays, which kernels reach by textures and surfaces alone. Their elements lie row by row in an allocation of their
// own, levels of a mipmapped one behind each other, so they count against the board and are copied as memory is. All
// under the lock of the process. Tests: tests/drivers/cuda/textures_test.cpp.
#pragma once

#include "drivers/cuda/contexts/contexts.hpp"

namespace nvmlab::cuda {

struct ArrayState {
  CUcontext context;
  CUDA_ARRAY3D_DESCRIPTOR of;
  std::uint64_t memory;
  std::uint64_t bytes;
  CUmipmappedArray owner;  // null: it has the memory itself
};

inline constexpr std::uint32_t kMostLevels = 16;

struct MipmapState {
  CUcontext context;
  CUDA_ARRAY3D_DESCRIPTOR of;
  std::uint64_t memory;
  std::uint64_t bytes;
  std::uint32_t levels;
  CUarray level[kMostLevels];
  std::uint64_t level_at[kMostLevels];  // from `memory`
};

inline constexpr std::uint32_t kLayered = 1;
inline constexpr std::uint32_t kCubemap = 4;

// Bytes of an element; 0: a format or a number of channels that there is not.
std::uint32_t element_bytes(int format, std::uint32_t channels);

// Of a format, the elements of an array: in bytes from row to row, and rows of a slice.
std::uint64_t row_bytes(const CUDA_ARRAY3D_DESCRIPTOR& of);
std::uint64_t rows_of(const CUDA_ARRAY3D_DESCRIPTOR& of);
std::uint64_t slices_of(const CUDA_ARRAY3D_DESCRIPTOR& of);

CUresult create_array(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& of, CUarray* out);
CUresult create_mipmap(CUcontext context, const CUDA_ARRAY3D_DESCRIPTOR& of, std::uint32_t levels,
                       CUmipmappedArray* out);
ArrayState* find_array(CUarray handle);
MipmapState* find_mipmap(CUmipmappedArray handle);
CUresult destroy_array(CUarray handle);
CUresult destroy_mipmap(CUmipmappedArray handle);
// Their memory goes with the context's allocations.
void release_arrays_of(CUcontext context);

}  // namespace nvmlab::cuda
