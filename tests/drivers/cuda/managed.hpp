// SPDX-License-Identifier: Apache-2.0
// Managed memory, and what its functions take and tell.
#pragma once

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {

inline constexpr std::size_t kPage = 4096;
inline constexpr int kHostDevice = -1;
inline constexpr int kNoDeviceAtAll = -2;
inline constexpr int kDeviceLocation = 1;
inline constexpr int kHostLocation = 2;
inline constexpr int kNodeLocation = 3;
inline constexpr int kCaptureUnsupported = 900;

struct Place {  // CUmemLocation
  int type;
  int id;
};

using Advise = int(Pointer, std::size_t, int, int);
using AdviseAt = int(Pointer, std::size_t, int, Place);
using Prefetch = int(Pointer, std::size_t, int, void*);
using PrefetchTo = int(Pointer, std::size_t, Place, unsigned, void*);
using PrefetchBatch = int(Pointer*, std::size_t*, std::size_t, Place*, std::size_t*, std::size_t, unsigned long long,
                          void*);
using Discard = int(Pointer*, std::size_t*, std::size_t, unsigned long long, void*);
using Attach = int(void*, Pointer, std::size_t, unsigned);
using Ask = int(void*, std::size_t, int, Pointer, std::size_t);

inline Pointer managed(const Cuda& cuda, std::size_t size) {
  Pointer made = 0;
  cuda.call<int(Pointer*, std::size_t, unsigned)>("cuMemAllocManaged", &made, size, 1u);
  return made;
}
inline int asked(const Cuda& cuda, int attribute, Pointer at, std::size_t size) {
  int value = -1000;
  const int code =
      cuda.call<Ask>("cuMemRangeGetAttribute", static_cast<void*>(&value), sizeof value, attribute, at, size);
  return code == kSuccess ? value : -100 - code;
}

}  // namespace nvmlab::cuda_test
