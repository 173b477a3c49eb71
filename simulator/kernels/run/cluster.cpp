// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/cluster.hpp"

#include "kernels/run/groups.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::uint32_t kRankShift = 24;
constexpr std::uint64_t kOffset = (std::uint64_t{1} << kRankShift) - 1;

std::uint64_t base_of(const Block& block) { return reinterpret_cast<std::uint64_t>(block.shared); }

// All have arrived: whoever waits goes on, and the barrier begins anew.
void let_all_go(Cluster& cluster) {
  cluster.arrived = 0;
  for (const auto& block : cluster.blocks) {
    for (Warp& warp : block->warps) {
      warp.arrived = 0;
      for (std::uint32_t i = 0; i < warp.group_count; ++i) {
        Group& group = warp.groups[i];
        if (group.state != GroupState::barrier || group.barrier != kClusterBarrier) continue;
        group.state = GroupState::ready;
        ++group.pc;
      }
    }
  }
}

// The one that an address names; null: there is none.
const Block* named_block(const Block& block, std::uint64_t shared) {
  const auto& blocks = block.cluster->blocks;
  const std::uint64_t rank = shared >> kRankShift;
  return blocks.size() == 1 || rank == 0 || rank > blocks.size() ? nullptr : blocks[rank - 1].get();
}

std::uint64_t shared_of(const Block& block, std::uint64_t rank, std::uint64_t offset) {
  const bool alone = block.cluster->blocks.size() == 1;
  return alone && rank == 0 ? offset : (rank + 1) << kRankShift | offset;
}

// The block that an address of this space leads to, which is the thread's own where it leads to no other.
const Block& block_of(const Block& own, std::uint64_t address, AddressSpace space) {
  const Block* const found =
      space == AddressSpace::shared ? named_block(own, address) : owner_of_shared(own, address, 1);
  return found == nullptr ? own : *found;
}

}  // namespace

void start_cluster(Cluster& cluster, Launch& launch, std::uint64_t number) {
  const std::uint32_t* const size = launch.cluster;
  const std::uint64_t across = launch.request->grid[0] / size[0];
  const std::uint64_t down = launch.request->grid[1] / size[1];
  const std::uint64_t at[3] = {number % across, number / across % down, number / across / down};
  const std::uint32_t count = size[0] * size[1] * size[2];
  while (cluster.blocks.size() < count)
    cluster.blocks.push_back(std::make_unique<Block>());
  cluster.live = count * launch.threads;
  cluster.arrived = 0;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    const std::uint32_t within[3] = {rank % size[0], rank / size[0] % size[1], rank / size[0] / size[1]};
    Block& block = *cluster.blocks[rank];
    block.cluster = &cluster;
    block.rank = rank;
    for (int i = 0; i < 3; ++i)
      block.index[i] = static_cast<std::uint32_t>(at[i]) * size[i] + within[i];
    start_block(block, launch);
  }
}

bool run_cluster(Cluster& cluster, std::uint64_t budget) {
  for (;;) {
    bool finished = true;
    bool moved = false;
    bool tired = false;
    Block* waiting = nullptr;
    for (const auto& block : cluster.blocks) {
      if (block->finished) continue;
      switch (run_block(*block, budget, &moved)) {
        case BlockState::stopped:
          return true;
        case BlockState::finished:
          block->finished = true;
          continue;
        case BlockState::waiting:
          waiting = block.get();
          break;
        case BlockState::tired:
          tired = true;
      }
      finished = false;
    }
    if (finished) return true;
    if (tired) return false;
    if (!moved) {
      fail_waiting(*waiting);
      return true;
    }
  }
}

void arrive_at_cluster(Warp& warp, std::uint32_t mask) {
  Cluster& cluster = *warp.block->cluster;
  cluster.arrived += static_cast<std::uint32_t>(std::popcount(mask & ~warp.arrived));
  warp.arrived |= mask;
  if (cluster.arrived == cluster.live) let_all_go(cluster);
}

void wait_for_cluster(Warp& warp, Group& group, std::uint32_t mask) {
  const std::uint32_t waits = mask & warp.arrived;  // for the others it is over
  if (waits == 0) {
    ++group.pc;
    return;
  }
  if (waits != group.mask) split(warp, group, group.mask & ~waits, group.pc + 1);
  group.mask = waits;
  group.state = GroupState::barrier;
  group.barrier = kClusterBarrier;
}

void leave_cluster(Warp& warp, std::uint32_t mask) {
  Cluster& cluster = *warp.block->cluster;
  cluster.live -= static_cast<std::uint32_t>(std::popcount(mask));
  cluster.arrived -= static_cast<std::uint32_t>(std::popcount(mask & warp.arrived));
  warp.arrived &= ~mask;
  if (cluster.arrived != 0 && cluster.arrived == cluster.live) let_all_go(cluster);
}

std::uint64_t peer_address(const Block& block, std::uint64_t shared, std::uint32_t size) {
  const Block* const found = named_block(block, shared);
  const std::uint64_t bytes = block.launch->shared_bytes;
  const std::uint64_t offset = shared & kOffset;
  if (found == nullptr || offset >= bytes || size > bytes - offset) return 0;
  return base_of(*found) + offset;
}

const Block* owner_of_shared(const Block& block, std::uint64_t generic, std::uint32_t size) {
  const std::uint64_t bytes = block.launch->shared_bytes;
  for (const auto& each : block.cluster->blocks) {
    const std::uint64_t offset = generic - base_of(*each);
    if (offset < bytes && size <= bytes - offset) return each.get();
  }
  return nullptr;
}

std::uint64_t generic_of_shared(const Block& block, std::uint64_t shared) {
  const Block* const found = named_block(block, shared);
  return found == nullptr ? base_of(block) + shared : base_of(*found) + (shared & kOffset);
}

std::uint64_t shared_address(const Block& block, std::uint64_t generic) {
  const Block* const found = owner_of_shared(block, generic, 1);
  const std::uint64_t own = generic - base_of(block);
  return found == nullptr || found == &block ? own : shared_of(block, found->rank, generic - base_of(*found));
}

void map_to_block(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Block& own = *warp.block;
  const auto space = static_cast<AddressSpace>(code.space);
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = first_of(mask);
    const std::uint64_t address = value_of(warp, code.r[1], lane);
    const std::uint64_t rank = value_of(warp, code.r[2], lane) & 0xFFFFFFFF;
    std::uint64_t mapped = 0;  // of a block that there is not
    if (rank < own.cluster->blocks.size()) {
      mapped = space == AddressSpace::shared
                   ? shared_of(own, rank, address & kOffset)
                   : address - base_of(block_of(own, address, space)) + base_of(*own.cluster->blocks[rank]);
    } else if (space == AddressSpace::shared) {
      mapped = shared_of(own, kMostClusterBlocks, address & kOffset);
    }
    put_value(warp, code.r[0], lane, mapped);
  }
}

void rank_of_address(Warp& warp, const Instruction& code, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = first_of(mask);
    const Block& found = block_of(*warp.block, value_of(warp, code.r[1], lane), static_cast<AddressSpace>(code.space));
    put_value(warp, code.r[0], lane, found.rank);
  }
}

}  // namespace nvmlab::kernels
