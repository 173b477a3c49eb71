// SPDX-License-Identifier: Apache-2.0
// What the runtime remembers of each thread: the device that it chose, its last error, the configuration of the launch
// that comes next. Tests: tests/drivers/cudart/errors_test.cpp.
#pragma once

#include "drivers/cudart/abi.hpp"

namespace nvmlab::cudart {

struct CallConfiguration {
  dim3 grid;
  dim3 block;
  std::size_t shared;
  cudaStream_t stream;
};

struct Thread {
  static constexpr unsigned kNested = 16;

  int device;
  cudaError_t last;
  CUcontext context;         // that the runtime made current
  std::uint32_t generation;  // of all resets, when it did
  CallConfiguration pushed[kNested];
  unsigned depth;
  Thread* next_free;
};

// Of the calling thread; where there is no memory, one that all such threads share.
Thread& this_thread();

}  // namespace nvmlab::cudart
