// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/block.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>

#include "kernels/run/cluster.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::size_t kMostAlignment = 4096;  // that PTX may ask for

char* aligned(char* memory) {
  return memory + (kMostAlignment - reinterpret_cast<std::uintptr_t>(memory) % kMostAlignment) % kMostAlignment;
}

std::uint64_t lane_value(const Frame& frame, Ref ref, std::uint32_t lane) {
  const char* const at = (ref.constant != 0 ? frame.constants : frame.registers) + ref.at;
  return ref.wide != 0 ? reinterpret_cast<const std::uint64_t*>(at)[lane]
                       : reinterpret_cast<const std::uint32_t*>(at)[lane];
}

std::uint32_t predicate_of(const Frame& frame, Ref ref) {
  return *reinterpret_cast<const std::uint32_t*>((ref.constant != 0 ? frame.constants : frame.registers) + ref.at);
}

// What bar.red gives to those that it lets go.
void write_result(const Group& group, const Instruction& code, const Barrier& barrier) {
  const auto kind = static_cast<BarrierKind>(code.space);
  if (kind == BarrierKind::sync || kind == BarrierKind::arrive) return;
  char* const at = group.frame->registers + code.r[3].at;
  if (kind == BarrierKind::popc) {
    for (std::uint32_t rest = group.mask; rest != 0; rest &= rest - 1)
      reinterpret_cast<std::uint32_t*>(at)[std::countr_zero(rest)] = barrier.sum;
    return;
  }
  auto& bits = *reinterpret_cast<std::uint32_t*>(at);
  const bool value = kind == BarrierKind::all ? barrier.all : barrier.any;
  bits = value ? bits | group.mask : bits & ~group.mask;
}

void let_go(Block& block, std::uint32_t id) {
  for (Warp& warp : block.warps) {
    for (std::uint32_t i = 0; i < warp.group_count; ++i) {
      Group& group = warp.groups[i];
      if (group.state != GroupState::barrier || group.barrier != id) continue;
      write_result(group, group.frame->function->code[group.pc], block.barriers[id]);
      group.state = GroupState::ready;
      ++group.pc;
    }
  }
  block.barriers[id] = {};
}

bool is_met(const Block& block, const Barrier& barrier) {
  const std::uint32_t expected =
      barrier.expected != 0 ? std::min(barrier.expected, (block.live + 31) / 32 * 32) : block.live;
  return barrier.arrived != 0 && barrier.arrived >= std::min(expected, std::max(block.live, 1U));
}

}  // namespace

void arrive(Warp& warp, Group& group, const Instruction& code, std::uint32_t mask) {
  const auto kind = static_cast<BarrierKind>(code.space);
  if (kind == BarrierKind::cluster_wait) return wait_for_cluster(warp, group, mask);
  if (kind == BarrierKind::cluster_arrive) {
    ++group.pc;
    return arrive_at_cluster(warp, mask);
  }
  const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
  const auto id = static_cast<std::uint32_t>(lane_value(*group.frame, code.r[0], first));
  if (id >= kBarriers) return fail(warp, FaultKind::unsupported, first, id);
  Block& block = *warp.block;
  Barrier& barrier = block.barriers[id];
  if (mask != group.mask) {  // those whose guard is false go on
    Group& rest = warp.groups[warp.group_count++];
    rest = group;
    rest.mask = group.mask & ~mask;
    ++rest.pc;
    group.mask = mask;
  }
  barrier.arrived += static_cast<std::uint32_t>(std::popcount(mask));
  if (code.r[1].used != 0) barrier.expected = static_cast<std::uint32_t>(lane_value(*group.frame, code.r[1], first));
  if (code.r[2].used != 0) {
    const std::uint32_t bits =
        code.r[2].wide != 0 ? ~predicate_of(*group.frame, code.r[2]) : predicate_of(*group.frame, code.r[2]);
    barrier.sum += static_cast<std::uint32_t>(std::popcount(bits & mask));
    barrier.all = barrier.all && (bits & mask) == mask;
    barrier.any = barrier.any || (bits & mask) != 0;
  }
  if (kind == BarrierKind::arrive) {
    ++group.pc;
  } else {
    group.state = GroupState::barrier;
    group.barrier = static_cast<std::uint8_t>(id);
  }
  if (is_met(block, barrier)) let_go(block, id);
}

void release_barriers(Block& block) {
  for (std::uint32_t id = 0; id < kBarriers; ++id) {
    if (block.barriers[id].expected == 0 && is_met(block, block.barriers[id])) let_go(block, id);
  }
}

bool reachable(Warp& warp, std::uint64_t address, std::uint32_t size) {
  if (address >= warp.known_begin && address < warp.known_end && size <= warp.known_end - address) return true;
  const Block& block = *warp.block;
  const Launch& launch = *block.launch;
  const auto within = [&](const void* begin, std::uint64_t bytes) {
    const auto first = reinterpret_cast<std::uint64_t>(begin);
    return begin != nullptr && address >= first && address - first < bytes && size <= bytes - (address - first);
  };
  if (within(block.shared, launch.shared_bytes) || within(block.local, block.local_bytes) ||
      within(launch.parameters, launch.kernel->parameter_bytes) || within(launch.meeting, kMeetingBytes) ||
      owner_of_shared(block, address, size) != nullptr)
    return true;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  if (launch.request->find(launch.request->user, address, &begin, &end) == 0 || size > end - address) return false;
  warp.known_begin = begin;
  warp.known_end = end;
  return true;
}

void start_block(Block& block, Launch& launch) {
  block.launch = &launch;
  block.finished = false;
  block.live = launch.threads;
  const std::uint32_t warps = (launch.threads + kLanes - 1) / kLanes;
  if (block.warps.size() != warps) block.warps = std::vector<Warp>(warps);
  if (block.shared_memory.size() < launch.shared_bytes + kMostAlignment)
    block.shared_memory.resize(launch.shared_bytes + kMostAlignment);
  block.shared = aligned(block.shared_memory.data());
  const std::uint64_t local = launch.local_stride * warps * kLanes;
  if (local > block.local_bytes) {
    block.local_memory.reset(new char[local + kMostAlignment]);
    block.local_bytes = local;
  }
  block.local = local == 0 ? nullptr : aligned(block.local_memory.get());
  for (Barrier& each : block.barriers)
    each = {};
  for (std::uint32_t i = 0; i < warps; ++i) {
    Warp& warp = block.warps[i];
    warp.block = &block;
    warp.index = i;
    warp.local = block.local + i * kLanes * launch.local_stride;
    warp.local_stride = launch.local_stride;
    warp.known_begin = 0;
    warp.known_end = 0;
    start_warp(warp, *launch.kernel, std::min(kLanes, launch.threads - i * kLanes));
  }
}

namespace {

const char* what_happened(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return "an illegal address";
    case FaultKind::misaligned:
      return "a misaligned address";
    case FaultKind::trap:
      return "trap";
    case FaultKind::assertion:
      return "a failed assertion";
    case FaultKind::stack:
      return "the end of the thread's stack; raise CU_LIMIT_STACK_SIZE";
    case FaultKind::pc:
      return "a jump to where no code is";
    case FaultKind::timeout:
      return "longer than NVMLAB_KERNEL_TIMEOUT allows";
    default:
      return "an instruction with a value that it cannot take";
  }
}

int code_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return 700;
    case FaultKind::misaligned:
      return 716;
    case FaultKind::timeout:
      return 702;
    case FaultKind::assertion:
      return 710;
    case FaultKind::pc:
      return 718;
    case FaultKind::unsupported:
      return 715;
    default:
      return 719;
  }
}

void report(const Warp& warp) {
  const Block& block = *warp.block;
  Launch& launch = *block.launch;
  launch.stop.store(true, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> guard(launch.lock);
  if (launch.fault.code != 0) return;
  const nvmlab_launch& request = *launch.request;
  const std::uint32_t thread = warp.index * kLanes + warp.fault_lane;
  launch.fault.code = code_of(warp.fault);
  std::string text = launch.kernel->name + ", line " + std::to_string(warp.fault_line) + " of its PTX, block (";
  text += std::to_string(block.index[0]) + ", " + std::to_string(block.index[1]) + ", " +
          std::to_string(block.index[2]) + "), thread (";
  text += std::to_string(thread % request.block[0]) + ", " +
          std::to_string(thread / request.block[0] % request.block[1]) + ", ";
  text += std::to_string(thread / request.block[0] / request.block[1]) + "): " + what_happened(warp.fault);
  if (warp.fault_size != 0) {
    char number[24];
    std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(warp.fault_address));
    text += std::string(", ") + number + " (" + std::to_string(warp.fault_size) + " bytes)";
  }
  text.copy(launch.fault.message, sizeof launch.fault.message - 1);
}

// Whether the launch has had its time; told of a warp that still runs.
bool is_late(Block& block) {
  const std::uint64_t deadline = block.launch->deadline_ns;
  if (deadline == 0 || steady_ns() < deadline) return false;
  for (Warp& warp : block.warps) {
    if (warp.group_count == 0) continue;
    const Group& group = warp.groups[0];
    fail(warp, FaultKind::timeout, static_cast<std::uint32_t>(std::countr_zero(group.mask)));
    warp.fault_line = group.frame->function->code[group.pc].line;
    report(warp);
    break;
  }
  return true;
}

}  // namespace

std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void fail_waiting(Block& block) {
  fail(block.warps[0], FaultKind::unsupported, 0);
  report(block.warps[0]);
}

namespace {

// As run_block(), and how many instructions were executed.
BlockState run_warps(Block& block, std::uint64_t budget, std::uint64_t* executed) {
  Launch& launch = *block.launch;
  for (;;) {
    bool tired = false;
    bool awake = false;
    bool moved = false;
    bool done = true;
    for (Warp& warp : block.warps) {
      if (warp.group_count == 0) continue;
      const std::uint64_t before = warp.executed;
      const WarpState state = run_warp(warp, 4096);
      *executed += warp.executed - before;
      moved = moved || warp.executed != before;
      if (state == WarpState::faulted) {
        report(warp);
        return BlockState::stopped;
      }
      done = done && state == WarpState::done;
      tired = tired || state == WarpState::tired;
      awake = awake || (state == WarpState::tired && !warp.asleep);
    }
    if (done) return BlockState::finished;
    if (launch.stop.load(std::memory_order_relaxed) || is_late(block)) return BlockState::stopped;
    if (!tired && !moved) return BlockState::waiting;  // all do, at barriers
    // Where nobody is awake, it is for another block to go on.
    if (*executed > budget || !awake) return BlockState::tired;
  }
}

}  // namespace

BlockState run_block(Block& block, std::uint64_t budget, bool* moved) {
  std::uint64_t executed = 0;
  const BlockState state = run_warps(block, budget, &executed);
  block.launch->executed.fetch_add(executed, std::memory_order_relaxed);
  *moved = *moved || executed != 0;
  return state;
}

}  // namespace nvmlab::kernels
