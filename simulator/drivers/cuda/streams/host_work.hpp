// SPDX-License-Identifier: Apache-2.0
// A function of the program as the work of an item, for queues and graphs. Tests:
// tests/drivers/cuda/concurrency_test.cpp, graphs_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_queue.hpp"

namespace nvmlab::cuda {

struct HostFunction {
  CUhostFn function;
  CUstreamCallback callback;  // instead of it, also where something went wrong before
  CUstream stream;
  void* data;
};

Work host_work(const HostFunction& asked);

}  // namespace nvmlab::cuda
