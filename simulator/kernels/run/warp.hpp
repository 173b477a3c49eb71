// SPDX-License-Identifier: Apache-2.0
//
// A warp while it runs. Its lanes go together as long as they take the same branches; where they part, groups of them
// go on by themselves. Instructions lie in an order in which a block stands behind everything that it post-dominates
// (lowering/flow.hpp), and the group that is furthest behind goes first, so groups meet again at the immediate
// post-dominator at the latest. Tests: tests/unit/kernels/.
#pragma once

#include <memory>
#include <vector>

#include "kernels/code/program.hpp"

namespace nvmlab::kernels {

struct Block;

struct Frame {
  const FunctionCode* function = nullptr;
  Frame* parent = nullptr;
  char* registers = nullptr;
  const char* constants = nullptr;
  std::uint32_t return_to = 0;  // in the parent, behind the call
  std::uint32_t live = 0;       // lanes that have not returned
  std::uint32_t local = 0;      // where its local memory begins in that of a thread
  std::uint32_t depth = 0;
  std::unique_ptr<char[]> memory;
  std::uint32_t capacity = 0;
};

enum class GroupState : std::uint8_t { ready, together, barrier };

struct Group {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  Frame* frame = nullptr;
  GroupState state = GroupState::ready;
  std::uint8_t barrier = 0;
};

enum class FaultKind : std::uint8_t {
  none,
  illegal_address,
  misaligned,
  trap,
  assertion,
  stack,
  pc,
  timeout,
  unsupported
};

struct Warp {
  char* base[2] = {nullptr, nullptr};  // registers of the current frame, constants of its function
  Block* block = nullptr;
  std::uint32_t index = 0;    // in the block
  std::uint32_t carry = 0;    // CC.CF of each lane
  std::uint32_t arrived = 0;  // lanes that have come to the barrier of their cluster, which others have not
  // Memory that was looked up last: addresses in it need no look-up.
  std::uint64_t known_begin = 0;
  std::uint64_t known_end = 0;
  char* local = nullptr;  // of lane 0
  std::uint64_t local_stride = 0;
  std::uint32_t local_frame = 0;  // of the current frame

  FaultKind fault = FaultKind::none;
  std::uint32_t fault_lane = 0;
  std::uint64_t fault_address = 0;
  std::uint32_t fault_size = 0;
  std::uint32_t fault_line = 0;

  std::uint32_t lanes = 0;  // that exist
  std::uint32_t live = 0;   // that have not exited
  Group groups[kLanes];
  std::uint32_t group_count = 0;
  std::uint32_t current = 0;
  std::uint32_t turns = 0;
  std::uint32_t others = 0;    // turns that were not of the group that is furthest behind
  bool waits = false;          // a group has come to the end of a loop that may wait for others
  bool asleep = false;         // its last turn ended with nanosleep: it waits for others
  std::uint64_t executed = 0;  // instructions of threads
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<Frame*> spare;
};

enum class WarpState : std::uint8_t { done, waiting, tired, faulted };

// Begins anew at the kernel's first instruction.
void start_warp(Warp& warp, const FunctionCode& kernel, std::uint32_t lanes);
// Until all have exited, all wait, something is wrong, or about `budget` instructions are done.
WarpState run_warp(Warp& warp, std::uint64_t budget);

// Says what is wrong; the first one stays.
void fail(Warp& warp, FaultKind kind, std::uint32_t lane, std::uint64_t address = 0, std::uint32_t size = 0);

// Whether these bytes are memory of the process that a kernel may use; remembers where.
bool reachable(Warp& warp, std::uint64_t address, std::uint32_t size);

}  // namespace nvmlab::kernels
