// SPDX-License-Identifier: Apache-2.0
//
// What memory of a device graphs take, as CUDA's programming guide tells it: a launch needs as much as its graph has at
// once, of bytes that nothing else uses while it runs. Those of a launch before in the same stream, or of one that has
// ended, serve again. They stay with the executable graph, and count as used, until the device is trimmed or the
// executable graph is destroyed. Under the lock of the process. Tests: tests/drivers/cuda/graph_footprints_test.cpp.
#pragma once

#include "drivers/cuda/memory/memory_pools.hpp"
#include "drivers/cuda/streams/work_queue.hpp"

namespace nvmlab::cuda {

// The executable graph that a launch is of, by its id, and the end of its last launch.
struct FootprintUser {
  std::uint32_t executable;
  WorkMark launched;
};

// The pool of a device that graphs take from; null: no memory.
CUmemoryPool graph_pool(std::uint32_t device);

// Before a launch in this queue: so many bytes of a device, which have the handle that is told.
CUresult take_footprint(const FootprintUser& user, const WorkQueue& queue, std::uint32_t device, std::uint64_t bytes,
                        std::uint64_t* footprint);
// Of these: what outlives the launch, and comes back when it is freed.
void keep_from_footprint(std::uint64_t footprint, std::uint64_t bytes);
void return_to_footprint(std::uint64_t footprint, std::uint32_t device, std::uint64_t bytes);
// The launch is all in its queue: `user.launched` is its end.
void hold_footprints(const FootprintUser& user);
// The executable graph goes.
void let_go_of_footprints(std::uint32_t executable);

// What no executable graph has and no launch uses is no longer used, but kept.
void drop_unused_footprints();
// What no launch uses is given back to the device; the other, of a device without contexts, all that there is.
void trim_footprints(std::uint32_t device);
void forget_footprints(std::uint32_t device);

}  // namespace nvmlab::cuda
