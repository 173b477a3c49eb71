// SPDX-License-Identifier: Apache-2.0
// A kernel with its arguments as the work of an item, for queues and graphs. Tests:
// tests/drivers/cuda/modules_test.cpp, graphs_test.cpp.
#pragma once

#include "drivers/cuda/modules/kernel_library.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

struct LaunchShape {
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t shared;
};

struct KernelAsked {
  CUfunction function;
  LaunchShape shape;
  void** each;   // a pointer to each parameter; else
  void** extra;  // a buffer that is packed already
  bool cooperative;
  std::uint32_t cluster[3] = {0, 0, 0};  // 0: as the kernel is declared
  std::uint32_t multiprocessors = 0;     // 0: all of the device
  bool later = false;                    // a node's: its grid may have no blocks until the graph is launched
};

// A launch that waits for its turn, the payload of its item; its parameters lie behind it.
struct QueuedLaunch {
  nvmlab_launch request;
  CUfunction function;
  std::uint32_t device;
  bool packed;  // its parameters were given in one buffer
};

// Whether an item is no kernel, or one that can begin.
inline bool has_blocks(const WorkItem& item) {
  if (item.work.type != WorkType::kernel) return true;
  const std::uint32_t* const grid = static_cast<const QueuedLaunch*>(payload_of(item))->request.grid;
  return grid[0] != 0 && grid[1] != 0 && grid[2] != 0;
}

// Gives a node's launch another cluster, where the kernel, its grid and the GPU allow it.
CUresult set_cluster(QueuedLaunch& launch, const std::uint32_t* cluster);

// The item of a launch that the kernel and the GPU of the context allow. Under the lock of the process.
CUresult make_kernel_item(const KernelAsked& asked, const Context& context, WorkItem** out);

}  // namespace nvmlab::cuda
