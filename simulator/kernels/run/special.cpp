// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/special.hpp"

#include <atomic>
#include <bit>
#include <chrono>
#include <thread>

#include "kernels/run/cluster.hpp"

namespace nvmlab::kernels {
namespace {

enum Special : int {
  kTid = 0,  // three each
  kNtid = 3,
  kCtaid = 6,
  kNctaid = 9,
  kLaneid = 12,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kClock,
  kClockHigh,
  kTimer,
  kTimerHigh,
  kDynamicShared,
  kTotalShared,
  kClusterid,  // three each
  kNclusterid = kClusterid + 3,
  kClusterCtaid = kNclusterid + 3,
  kClusterNctaid = kClusterCtaid + 3,
  kClusterRank = kClusterNctaid + 3,
  kClusterSize,
  kExplicitCluster,
  kZero,
  kEnvironment,  // 32 of them
};

struct SpecialRow {
  std::string_view name;
  int number;
  bool has_members;
};

constexpr SpecialRow kSpecials[] = {
    {"%tid", kTid, true},
    {"%ntid", kNtid, true},
    {"%ctaid", kCtaid, true},
    {"%nctaid", kNctaid, true},
    {"%clusterid", kClusterid, true},
    {"%nclusterid", kNclusterid, true},
    {"%laneid", kLaneid, false},
    {"%warpid", kWarpid, false},
    {"%nwarpid", kNwarpid, false},
    {"%smid", kSmid, false},
    {"%nsmid", kNsmid, false},
    {"%gridid", kGridid, false},
    {"%lanemask_eq", kLanemaskEq, false},
    {"%lanemask_le", kLanemaskLe, false},
    {"%lanemask_lt", kLanemaskLt, false},
    {"%lanemask_ge", kLanemaskGe, false},
    {"%lanemask_gt", kLanemaskGt, false},
    {"%clock", kClock, false},
    {"%clock_hi", kClockHigh, false},
    {"%clock64", kClock, false},
    {"%globaltimer", kTimer, false},
    {"%globaltimer_lo", kTimer, false},
    {"%globaltimer_hi", kTimerHigh, false},
    {"%dynamic_smem_size", kDynamicShared, false},
    {"%total_smem_size", kTotalShared, false},
    {"%cluster_ctaid", kClusterCtaid, true},
    {"%cluster_ctarank", kClusterRank, false},
    {"%cluster_nctaid", kClusterNctaid, true},
    {"%cluster_nctarank", kClusterSize, false},
    {"%is_explicit_cluster", kExplicitCluster, false},
};

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

std::uint64_t of_cluster(const Block& block, int which) {
  const int i = (which - kClusterid) % 3;
  const std::uint32_t size = block.launch->cluster[i];
  if (which >= kClusterNctaid) return size;
  if (which >= kClusterCtaid) return block.index[i] % size;
  return (which >= kNclusterid ? block.launch->request->grid[i] : block.index[i]) / size;
}

// What is the same for all lanes of a warp.
std::uint64_t uniform(const Warp& warp, int which) {
  const Block& block = *warp.block;
  const nvmlab_launch& request = *block.launch->request;
  switch (which) {
    case kWarpid:
      return warp.index;
    case kNwarpid:
      return block.warps.size();
    case kSmid:
      return (block.index[0] + block.index[1] * request.grid[0]) % std::max(request.multiprocessors, 1U);
    case kNsmid:
      return std::max(request.multiprocessors, 1U);
    case kClock:
    case kTimer:
      return now_ns();
    case kClockHigh:
    case kTimerHigh:
      return now_ns() >> 32;
    case kDynamicShared:
      return request.dynamic_shared_bytes;
    case kTotalShared:
      return block.launch->shared_bytes;
    case kClusterRank:
      return block.rank;
    case kClusterSize:
      return block.cluster->blocks.size();
    case kExplicitCluster:
      return request.cluster[0] != 0 || block.launch->kernel->required_cluster[0] != 0 ? 1 : 0;
    case kEnvironment + 1:  // where a cooperative grid meets, its upper half and its lower one
      return reinterpret_cast<std::uint64_t>(block.launch->meeting) >> 32;
    case kEnvironment + 2:
      return reinterpret_cast<std::uint64_t>(block.launch->meeting) & 0xFFFFFFFF;
    default:
      if (which >= kNtid && which < kCtaid) return request.block[which - kNtid];
      if (which >= kCtaid && which < kNctaid) return block.index[which - kCtaid];
      if (which >= kNctaid && which < kLaneid) return request.grid[which - kNctaid];
      return which >= kClusterid && which < kClusterRank ? of_cluster(block, which) : 0;
  }
}

std::uint64_t of_lane(const Warp& warp, int which, std::uint32_t lane) {
  const nvmlab_launch& request = *warp.block->launch->request;
  const std::uint32_t thread = warp.index * kLanes + lane;
  switch (which) {
    case kTid:
      return thread % request.block[0];
    case kTid + 1:
      return thread / request.block[0] % request.block[1];
    case kTid + 2:
      return thread / request.block[0] / request.block[1];
    case kLaneid:
      return lane;
    case kLanemaskEq:
      return 1U << lane;
    case kLanemaskLe:
      return (2U << lane) - 1;
    case kLanemaskLt:
      return (1U << lane) - 1;
    case kLanemaskGe:
      return ~((1U << lane) - 1);
    default:
      return ~((2U << lane) - 1);
  }
}

template <class Value>
void put(Warp& warp, const Instruction& code, std::uint32_t mask, const Value& value) {
  char* const to = warp.base[0] + code.r[0].at;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    if (code.r[0].wide != 0) {
      reinterpret_cast<std::uint64_t*>(to)[lane] = value(lane);
    } else {
      reinterpret_cast<std::uint32_t*>(to)[lane] = static_cast<std::uint32_t>(value(lane));
    }
  }
}

std::uint64_t get(const Warp& warp, Ref ref, std::uint32_t lane) {
  const char* const at = warp.base[ref.constant] + ref.at;
  return ref.wide != 0 ? reinterpret_cast<const std::uint64_t*>(at)[lane]
                       : reinterpret_cast<const std::uint32_t*>(at)[lane];
}

}  // namespace

int special_number(std::string_view name, std::uint32_t member) {
  if (name.starts_with("%envreg")) {
    std::uint32_t number = 0;
    const std::string_view digits = name.substr(7);
    for (const char c : digits)
      number = c >= '0' && c <= '9' && number < 100 ? number * 10 + static_cast<std::uint32_t>(c - '0') : 100;
    return digits.empty() || number > 31 ? -1 : kEnvironment + static_cast<int>(number);
  }
  for (const SpecialRow& each : kSpecials) {
    if (each.name != name) continue;
    if (!each.has_members) return each.number;
    return member > 2 ? kZero : each.number + static_cast<int>(member);
  }
  return -1;
}

bool is_special_name(std::string_view name) {
  return special_number(name, 0) >= 0 || name.starts_with("%pm") || name.starts_with("%reserved_smem") ||
         name.starts_with("%aggr_smem") || name == "%current_graph_exec";
}

void read_special(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const int which = static_cast<int>(code.imm);
  const bool each = which < kNtid || which == kLaneid || (which >= kLanemaskEq && which <= kLanemaskGt);
  if (each) return put(warp, code, mask, [&](std::uint32_t lane) { return of_lane(warp, which, lane); });
  const std::uint64_t value = uniform(warp, which);
  put(warp, code, mask, [value](std::uint32_t) { return value; });
}

void address_of_local(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const std::uint64_t value = warp.local_frame + code.imm;
  put(warp, code, mask, [value](std::uint32_t) { return value; });
}

void address_of_parameter(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const std::uint64_t value = reinterpret_cast<std::uint64_t>(warp.block->launch->parameters) + code.imm;
  put(warp, code, mask, [value](std::uint32_t) { return value; });
}

void convert_shared(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Block& block = *warp.block;
  put(warp, code, mask, [&](std::uint32_t lane) {
    const std::uint64_t from = get(warp, code.r[1], lane);
    return code.imm != 0 ? shared_address(block, from) : generic_of_shared(block, from);
  });
}

void convert_local(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const auto first = reinterpret_cast<std::uint64_t>(warp.local);
  put(warp, code, mask, [&](std::uint32_t lane) {
    const std::uint64_t base = first + lane * warp.local_stride;
    return get(warp, code.r[1], lane) + (code.imm != 0 ? 0 - base : base);
  });
}

void is_in_space(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const Block& block = *warp.block;
  const auto within = [](std::uint64_t address, const char* begin, std::uint64_t bytes) {
    return begin != nullptr && address - reinterpret_cast<std::uint64_t>(begin) < bytes;
  };
  std::uint32_t found = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t address = get(warp, code.r[1], lane);
    const bool in_cluster = owner_of_shared(block, address, 1) != nullptr;
    const bool shared = code.imm != 0 ? in_cluster : within(address, block.shared, block.launch->shared_bytes);
    const bool local = within(address, block.local, block.local_bytes);
    const auto space = static_cast<AddressSpace>(code.space);
    const bool is = space == AddressSpace::shared  ? shared
                    : space == AddressSpace::local ? local
                                                   : !in_cluster && !local;
    found |= static_cast<std::uint32_t>(is) << lane;
  }
  auto& bits = *reinterpret_cast<std::uint32_t*>(warp.base[0] + code.r[0].at);
  bits = (bits & ~mask) | found;
}

void stop_with_trap(Warp& warp, const Instruction&, std::uint32_t mask) {
  fail(warp, FaultKind::trap, static_cast<std::uint32_t>(std::countr_zero(mask)));
}

void sleep_a_little(Warp&, const Instruction&, std::uint32_t) { std::this_thread::yield(); }

void order_memory(Warp&, const Instruction&, std::uint32_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace nvmlab::kernels
