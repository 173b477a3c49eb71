// SPDX-License-Identifier: Apache-2.0
// A block of threads and the launch that it belongs to. Tests: tests/unit/kernels/.
#pragma once

#include <atomic>
#include <mutex>

#include "kernels/kernels_api.h"
#include "kernels/run/warp.hpp"

namespace nvmlab::kernels {

inline constexpr std::uint64_t kMeetingBytes = 4096;

struct Launch {
  const Program* program = nullptr;
  const FunctionCode* kernel = nullptr;
  const nvmlab_launch* request = nullptr;
  const char* parameters = nullptr;
  char* meeting = nullptr;               // kMeetingBytes of a cooperative grid, in which its blocks count each other
  std::uint32_t cluster[3] = {1, 1, 1};  // blocks
  std::uint64_t clusters = 0;
  std::uint32_t threads = 0;  // of a block
  std::uint64_t shared_bytes = 0;
  std::uint64_t local_stride = 0;
  std::uint64_t deadline_ns = 0;  // of the steady clock; 0: it may run for ever

  std::atomic<std::uint64_t> next{0};  // cluster to start
  std::atomic<bool> stop{false};       // something is wrong
  std::atomic<std::uint64_t> executed{0};
  std::mutex lock;  // over `fault`
  nvmlab_fault fault{};
};

// Threads that wait at one of the 16 barriers of a block.
struct Barrier {
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;  // 0: all threads that have not exited
  std::uint32_t sum = 0;       // of bar.red
  bool all = true;
  bool any = false;
};

inline constexpr std::uint32_t kBarriers = 16;
inline constexpr std::uint8_t kClusterBarrier = kBarriers;  // of a group that waits for its cluster

struct Cluster;

struct Block {
  Launch* launch = nullptr;
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;  // in its cluster
  bool finished = false;
  std::uint32_t index[3] = {0, 0, 0};
  std::uint32_t live = 0;  // threads
  char* shared = nullptr;
  char* local = nullptr;
  std::uint64_t local_bytes = 0;
  std::vector<Warp> warps;
  Barrier barriers[kBarriers];
  std::vector<char> shared_memory;
  std::unique_ptr<char[]> local_memory;
};

// What deadlines are of.
std::uint64_t steady_ns();

// stopped: the launch is to stop; waiting: for other blocks of its cluster; tired: it made `budget` instructions, or
// waits for others by looking again and again.
enum class BlockState : std::uint8_t { stopped, finished, waiting, tired };

// Prepares it for its place in the grid; memory that it has is used again.
void start_block(Block& block, Launch& launch);
// `moved` becomes true when it did anything.
BlockState run_block(Block& block, std::uint64_t budget, bool* moved);
// Its threads wait for what will never come.
void fail_waiting(Block& block);

// A group has come to its barrier, or threads have exited: lets go whom nothing holds any more.
void arrive(Warp& warp, Group& group, const Instruction& code, std::uint32_t mask);
void release_barriers(Block& block);

// Calls of what the driver supplies (vprintf, ...), for one lane.
void call_builtin(Warp& warp, const CallSite& site, std::uint32_t lane);

}  // namespace nvmlab::kernels
