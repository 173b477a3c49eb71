// SPDX-License-Identifier: Apache-2.0
// Arrays, what is made of them and read of them: structs as strangers have them, and an array of some numbers.
#pragma once

#include <cstring>
#include <vector>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {

inline constexpr int kFloat = 0x20;
inline constexpr unsigned kWidth = 8;
inline constexpr unsigned kHeight = 4;
inline constexpr unsigned kCount = kWidth * kHeight;

struct ArrayDescriptor {
  std::size_t width, height;
  int format;
  unsigned channels;
};
struct Array3dDescriptor {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct Copy2d {
  std::size_t from_x, from_y;
  int from_type;
  const void* from_host;
  Pointer from_device;
  void* from_array;
  std::size_t from_pitch, to_x, to_y;
  int to_type;
  void* to_host;
  Pointer to_device;
  void* to_array;
  std::size_t to_pitch, width, height;
};
struct Resource {
  int type;
  union {
    void* array;
    struct {
      Pointer address;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    int reserved[32];
  };
  unsigned flags;
};
struct Texture {
  int address_mode[3];
  int filter;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float bias, least, most, border[4];
  int reserved[12];
};
static_assert(sizeof(Resource) == 144 && sizeof(Texture) == 104 && sizeof(Copy2d) == 128);

using Make = int(void**, const ArrayDescriptor*);
using MakeTexture = int(Pointer*, const Resource*, const Texture*, const void*);

inline std::vector<float> numbers() {
  std::vector<float> all;
  for (unsigned i = 0; i < kCount; ++i)
    all.push_back(static_cast<float>(i * i % 37) - 5);
  return all;
}

// The numbers as an array whose elements are said to be of this format.
inline void* picture(const Cuda& cuda, int format = kFloat) {
  const ArrayDescriptor of{kWidth, kHeight, format, 1};
  void* array = nullptr;
  if (cuda.call<Make>("cuArrayCreate_v2", &array, &of) != kSuccess) return nullptr;
  const std::vector<float> from = numbers();
  Copy2d copy{};
  copy.from_type = 1;
  copy.from_host = from.data();
  copy.from_pitch = kWidth * 4;
  copy.to_type = 3;
  copy.to_array = array;
  copy.width = kWidth * 4;
  copy.height = kHeight;
  return cuda.call<int(const Copy2d*)>("cuMemcpy2D_v2", &copy) == kSuccess ? array : nullptr;
}

// What a kernel has left in `out`; empty: it did not run.
inline std::vector<float> after(const Cuda& cuda, void* function, Pointer out, void** parameters) {
  std::vector<float> found(kCount);
  if (launch(cuda, function, 1, kCount, parameters) != kSuccess || cuda.call<int()>("cuCtxSynchronize") != kSuccess ||
      cuda.call<CopyFrom>("cuMemcpyDtoH_v2", found.data(), out, kCount * 4) != kSuccess)
    return {};
  return found;
}

}  // namespace nvmlab::cuda_test
