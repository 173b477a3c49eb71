// SPDX-License-Identifier: Apache-2.0
// A function of the program as the work of an item, for queues and graphs. A stream calls it on a thread of its own and
// without the lock: it may not call CUDA, but may wait for a thread that does. Tests:
// tests/drivers/cuda/concurrency_test.cpp, graphs_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

struct HostFunction {
  CUhostFn function;
  CUstreamCallback callback;  // instead of it, also where something went wrong before
  CUstream stream;
  void* data;
};

CUresult make_host_call(const HostFunction& asked, WorkItem** out);

}  // namespace nvmlab::cuda
