// SPDX-License-Identifier: Apache-2.0
// Arrays of libcudart as a stranger has them.
#pragma once

#include <vector>

#include "tests/drivers/cuda/kernels.hpp"
#include "tests/drivers/cudart/cudart.hpp"

namespace nvmlab::cudart_test {

inline constexpr std::size_t kWidth = 8;
inline constexpr std::size_t kHeight = 4;
inline constexpr std::size_t kCount = kWidth * kHeight;
inline constexpr int kInvalidChannels = 20;

struct Channels {
  int x, y, z, w, kind;
};
struct Extent {
  std::size_t width, height, depth;
};
struct Described {
  Extent of;
  int format;
  unsigned channels, flags;
};
struct Box {
  const void* data;
  std::size_t pitch, width, height;
};
struct Copy3D {
  void* from_array;
  Extent from_at;
  Box from;
  void* to_array;
  Extent to_at;
  Box to;
  Extent extent;
  int kind;
};
using MakeArray = int(void**, const Channels*, std::size_t, std::size_t, unsigned);
using Make3D = int(void**, const Channels*, Extent, unsigned);
using Describe = int(Described*, void*);
using To2D = int(void*, std::size_t, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int);
using From2D = int(void*, std::size_t, void*, std::size_t, std::size_t, std::size_t, std::size_t, int);

inline constexpr Channels kFloats{32, 0, 0, 0, 2};

inline std::vector<float> numbers() {
  std::vector<float> all;
  for (std::size_t i = 0; i < kCount; ++i)
    all.push_back(static_cast<float>(i * i % 37) - 5);
  return all;
}

inline void* picture(const Cudart& runtime) {
  void* array = nullptr;
  const std::vector<float> from = numbers();
  if (runtime.call<MakeArray>("cudaMallocArray", &array, &kFloats, kWidth, kHeight, 2U) != kSuccess) return nullptr;
  return runtime.call<To2D>("cudaMemcpy2DToArray", array, 0UL, 0UL, from.data(), kWidth * 4, kWidth * 4, kHeight,
                            kToDevice) == kSuccess
             ? array
             : nullptr;
}

}  // namespace nvmlab::cudart_test
