// SPDX-License-Identifier: Apache-2.0
//
// Blocks that run together: they wait for each other, and reach each other's shared memory. One thread runs all blocks
// of a cluster, each in its turn, so nothing within it needs a lock. A launch that asks for no clusters has one for
// each block. Tests: tests/unit/kernels/clusters_test.cpp.
#pragma once

#include "kernels/run/block.hpp"

namespace nvmlab::kernels {

inline constexpr std::uint32_t kMostClusterBlocks = 16;

struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;  // by rank
  std::uint32_t live = 0;                      // threads of all blocks
  std::uint32_t arrived = 0;                   // of them, at the barrier of the cluster
};

// Prepares it for the cluster of this number; memory that it has is used again.
void start_cluster(Cluster& cluster, Launch& launch, std::uint64_t number);
// True: it is finished, or the launch is to stop. False: it wants more turns.
bool run_cluster(Cluster& cluster, std::uint64_t budget);

// barrier.cluster.arrive and .wait, and threads that have exited.
void arrive_at_cluster(Warp& warp, std::uint32_t mask);
void wait_for_cluster(Warp& warp, Group& group, std::uint32_t mask);
void leave_cluster(Warp& warp, std::uint32_t mask);

// An address of shared memory that names a block: its rank and one in the upper byte of 32 bits, what shared::cta has
// below. Blocks may tell each other such an address. In a cluster of one block, that block's has no upper byte.
// The generic address; 0 where it names no block of the cluster, or these bytes leave the block's shared memory.
std::uint64_t peer_address(const Block& block, std::uint64_t shared, std::uint32_t size);
// The block in whose shared memory these bytes lie; null: in nobody's.
const Block* owner_of_shared(const Block& block, std::uint64_t generic, std::uint32_t size);

// The same address in the other space; one that leads to no block of the cluster counts from the block's own memory.
std::uint64_t generic_of_shared(const Block& block, std::uint64_t shared);
std::uint64_t shared_address(const Block& block, std::uint64_t generic);

// r[0] = r[1] as the block of rank r[2] has it (mapa); r[0] = the rank of the block that r[1] leads to (getctarank).
// `space` says what the addresses are.
void map_to_block(Warp& warp, const Instruction& code, std::uint32_t mask);
void rank_of_address(Warp& warp, const Instruction& code, std::uint32_t mask);

}  // namespace nvmlab::kernels
