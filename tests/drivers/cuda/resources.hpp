// SPDX-License-Identifier: Apache-2.0
// Multiprocessors as resources, and green contexts made of them.
#pragma once

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {

inline constexpr int kInvalidResourceType = 914;
inline constexpr int kInvalidConfiguration = 915;

struct Resource {  // CUdevResource
  int type = 0;
  unsigned char own[92] = {};
  unsigned count = 0, least = 0, alignment = 0, flags = 0, domain = 0;
  unsigned char rest[20] = {};
  void* next = nullptr;
};
static_assert(sizeof(Resource) == 144);

using OfDevice = int(int, Resource*, int);
using SplitEvenly = int(Resource*, unsigned*, const Resource*, Resource*, unsigned, unsigned);
using Describe = int(void**, Resource*, unsigned);
using CreateGreen = int(void**, void*, int, unsigned);

inline Resource of_device(const Cuda& cuda, int device = 0) {
  Resource found;
  cuda.call<OfDevice>("cuDeviceGetDevResource", device, &found, 1);
  return found;
}
// A green context of so many multiprocessors of a device.
inline void* green(const Cuda& cuda, unsigned count, int device = 0) {
  const Resource all = of_device(cuda, device);
  Resource part;
  unsigned groups = 1;
  void* descriptor = nullptr;
  void* made = nullptr;
  if (cuda.call<SplitEvenly>("cuDevSmResourceSplitByCount", &part, &groups, &all, nullptr, 0u, count) != kSuccess ||
      cuda.call<Describe>("cuDevResourceGenerateDesc", &descriptor, &part, 1u) != kSuccess)
    return nullptr;
  cuda.call<CreateGreen>("cuGreenCtxCreate", &made, descriptor, device, 1u);
  return made;
}

}  // namespace nvmlab::cuda_test
