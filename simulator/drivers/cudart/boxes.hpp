// SPDX-License-Identifier: Apache-2.0
// Copies as the runtime asks for them, told to the driver: which side lies where, boxes of memory and of arrays. Tests:
// tests/drivers/cudart/memory_test.cpp, arrays_test.cpp.
#pragma once

#include "drivers/cudart/runtime.hpp"

namespace nvmlab::cudart {

enum Direction : int { kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kByAddress = 4 };

// Where a copy goes: at once, or in a stream.
struct Order {
  bool async;
  cudaStream_t stream;
};
constexpr Order kAtOnce{false, nullptr};

// The driver's types of memory.
enum Side : int { kHostSide = 1, kDeviceSide = 2, kArraySide = 3, kEitherSide = 4 };

inline bool is_direction(int kind) { return kind >= kHostToHost && kind <= kByAddress; }
inline Side source_of(int kind) {
  return kind == kByAddress ? kEitherSide : kind <= kHostToDevice ? kHostSide : kDeviceSide;
}
inline Side target_of(int kind) {
  return kind == kByAddress ? kEitherSide : kind == kHostToHost || kind == kDeviceToHost ? kHostSide : kDeviceSide;
}

// One side of a copy: an array, or a pointer that has rows of a pitch in planes of as many rows. x is in bytes.
struct Corner {
  cudaArray_t array;
  const void* pointer;
  std::size_t pitch;
  std::size_t rows;
  std::size_t x;
  std::size_t y;
  std::size_t z;
};

// Checks the kind against the sides; the width is in bytes.
cudaError_t make_box(const Corner& to, const Corner& from, const cudaExtent& bytes, int kind, CUDA_MEMCPY3D* out);
cudaError_t copy_box(const Driver& below, const CUDA_MEMCPY3D& box, Order order);

// What an array holds.
cudaError_t describe_array(const Driver& below, cudaArray_t array, CUDA_ARRAY3D_DESCRIPTOR* out);
// Bytes of an element of an array.
cudaError_t element_of(const Driver& below, cudaArray_t array, std::size_t* bytes);

// cudaMemcpy3DParms: widths and positions count elements of the arrays that take part.
cudaError_t box_of(const Driver& below, const cudaMemcpy3DParms& asked, CUDA_MEMCPY3D* out);
cudaError_t parameters_of(const Driver& below, const CUDA_MEMCPY3D& box, cudaMemcpy3DParms* out);

// Where a part of a variable of the program lies, for a copy of a kind to it or from it.
cudaError_t target_variable(const void* symbol, std::size_t bytes, std::size_t offset, int kind, CUdeviceptr* address);
cudaError_t source_variable(const void* symbol, std::size_t bytes, std::size_t offset, int kind, CUdeviceptr* address);

}  // namespace nvmlab::cudart
