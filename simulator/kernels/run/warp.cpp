// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/warp.hpp"

#include <algorithm>
#include <bit>

#include "kernels/run/block.hpp"
#include "kernels/run/groups.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::uint32_t kTurnsOfTheFirst = 1024;  // then another group has one, whatever loops do

void use(Warp& warp, Frame& frame) {
  warp.base[0] = frame.registers;
  warp.base[1] = const_cast<char*>(frame.constants);
  warp.local_frame = frame.local;
}

// Where lanes wait at the same place, they go on as one.
void merge(Warp& warp) {
  for (std::uint32_t i = 0; i < warp.group_count; ++i) {
    Group& kept = warp.groups[i];
    if (kept.state == GroupState::barrier) continue;
    for (std::uint32_t j = i + 1; j < warp.group_count;) {
      const Group& other = warp.groups[j];
      if (other.state == GroupState::barrier || other.pc != kept.pc || other.frame != kept.frame) {
        ++j;
        continue;
      }
      kept.mask |= other.mask;
      kept.state = GroupState::ready;
      remove_group(warp, j);
    }
  }
}

bool before(const Group& a, const Group& b) {
  return a.frame->depth != b.frame->depth ? a.frame->depth > b.frame->depth : a.pc < b.pc;
}

// One of the others that can go on, each in its turn: it may hold what the first one waits for.
std::uint32_t another(Warp& warp, std::uint32_t first) {
  ++warp.others;
  for (std::uint32_t i = 0; i < warp.group_count; ++i) {
    const std::uint32_t at = (warp.others + i) % warp.group_count;
    if (at != first && warp.groups[at].state == GroupState::ready) return at;
  }
  return first;
}

// The group to go on with. False: all wait at barriers, or there is none.
bool choose(Warp& warp) {
  if (warp.group_count == 0) return false;
  if (warp.group_count > 1) merge(warp);
  std::uint32_t best = kLanes;
  for (std::uint32_t i = 0; i < warp.group_count; ++i) {
    if (warp.groups[i].state != GroupState::ready) continue;
    if (best == kLanes || before(warp.groups[i], warp.groups[best])) best = i;
  }
  if (++warp.turns % kTurnsOfTheFirst == 0 || warp.waits) best = another(warp, best);
  warp.waits = false;
  for (std::uint32_t i = 0; best == kLanes && i < warp.group_count; ++i) {
    // Nobody else will come: those who wait for others go on without them.
    if (warp.groups[i].state == GroupState::together) best = i;
  }
  if (best == kLanes) return false;
  warp.current = best;
  use(warp, *warp.groups[best].frame);
  return true;
}

// brx.idx: lanes of one target at a time.
void jump_by_table(Warp& warp, Group& group, const Instruction& code, std::uint32_t mask) {
  const std::vector<std::uint32_t>& table = group.frame->function->tables[code.target];
  if (mask != group.mask) split(warp, group, group.mask & ~mask, group.pc + 1);
  const std::uint64_t wanted = value_of(warp, code.r[0], first_of(mask));
  std::uint32_t same = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    if (value_of(warp, code.r[0], first_of(rest)) == wanted) same |= 1U << first_of(rest);
  }
  if (same != mask) split(warp, group, mask & ~same, group.pc);
  group.mask = same;
  if (wanted >= table.size()) return fail(warp, FaultKind::pc, first_of(mask), wanted);
  group.pc = table[wanted];
}

// shfl.sync and its kin: once all that the mask names are here. False: they are not.
bool run_together(Warp& warp, Group& group, const Instruction& code, std::uint32_t mask) {
  const bool one = code.r[5].used == 0 || code.r[5].constant != 0;  // all lanes name the same ones
  if (code.r[5].used != 0 && mask != warp.live) {
    auto named = static_cast<std::uint32_t>(value_of(warp, code.r[5], first_of(mask)));
    for (std::uint32_t rest = one ? 0 : mask; rest != 0; rest &= rest - 1)
      named |= static_cast<std::uint32_t>(value_of(warp, code.r[5], first_of(rest)));
    const bool waits_already = group.state == GroupState::together;
    if ((named & warp.live & ~group.mask) != 0 && !waits_already) {
      group.state = GroupState::together;
      return false;
    }
    group.state = GroupState::ready;
  }
  ++group.pc;
  if (one) {
    code.run(warp, code, mask);
    return true;
  }
  // Parts of a warp that name each other tell each other, though all have come together.
  while (mask != 0) {
    const std::uint64_t named = value_of(warp, code.r[5], first_of(mask));
    std::uint32_t same = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      if (value_of(warp, code.r[5], first_of(rest)) == named) same |= 1U << first_of(rest);
    }
    code.run(warp, code, same);
    mask &= ~same;
  }
  return true;
}

void control(Warp& warp, Group& group, const Instruction& code, std::uint32_t mask) {
  if (mask == 0) {
    ++group.pc;
    return;
  }
  switch (code.kind) {
    case Kind::jump:
      if (mask != group.mask) split(warp, group, group.mask & ~mask, group.pc + 1);
      group.mask = mask;
      group.pc = code.target;
      warp.waits = code.imm != 0;
      return;
    case Kind::table:
      return jump_by_table(warp, group, code, mask);
    case Kind::call:
      return call(warp, group, code, mask);
    case Kind::ret:
      return leave(warp, group, mask);
    case Kind::exit:
      return exit_lanes(warp, group, mask);
    case Kind::barrier:
      return arrive(warp, group, code, mask);
    case Kind::together:
      run_together(warp, group, code, mask);
      return;
    case Kind::sleep:
      warp.asleep = true;
      ++group.pc;
      return;
    case Kind::plain:
      return;
  }
}

}  // namespace

void fail(Warp& warp, FaultKind kind, std::uint32_t lane, std::uint64_t address, std::uint32_t size) {
  if (warp.fault != FaultKind::none) return;
  warp.fault = kind;
  warp.fault_lane = lane;
  warp.fault_address = address;
  warp.fault_size = size;
}

void start_warp(Warp& warp, const FunctionCode& kernel, std::uint32_t lanes) {
  warp.spare.clear();
  for (const auto& each : warp.frames)
    warp.spare.push_back(each.get());
  warp.lanes = lanes == kLanes ? kAllLanes : (1U << lanes) - 1;
  warp.live = warp.lanes;
  warp.carry = 0;
  warp.arrived = 0;
  warp.turns = 0;
  warp.waits = false;
  warp.executed = 0;
  warp.fault = FaultKind::none;
  Frame* const frame = make_frame(warp, kernel);
  frame->live = warp.lanes;
  warp.groups[0] = {.pc = 0, .mask = warp.lanes, .frame = frame, .state = GroupState::ready, .barrier = 0};
  warp.group_count = 1;
  warp.current = 0;
}

WarpState run_warp(Warp& warp, std::uint64_t budget) {
  std::uint64_t executed = 0;
  warp.asleep = false;
  WarpState state = WarpState::tired;
  for (std::uint64_t done = 0; done < budget && !warp.asleep;) {
    if (!choose(warp)) {
      state = warp.group_count == 0 ? WarpState::done : WarpState::waiting;
      break;
    }
    Group& group = warp.groups[warp.current];
    const Instruction* const code = group.frame->function->code.data();
    const std::uint32_t active = group.mask;
    std::uint32_t mask = active;
    std::uint32_t pc = group.pc;
    for (;; ++pc) {
      const Instruction& each = code[pc];
      mask = active;
      if (each.guard != kNoGuard) {
        const std::uint32_t guard = *reinterpret_cast<const std::uint32_t*>(warp.base[0] + each.guard);
        mask &= each.negated ? ~guard : guard;
      }
      executed += static_cast<std::uint64_t>(std::popcount(mask));
      ++done;
      if (each.kind != Kind::plain) break;
      if (mask == 0) continue;
      each.run(warp, each, mask);
      if (warp.fault != FaultKind::none) break;
    }
    group.pc = pc;
    if (warp.fault == FaultKind::none) control(warp, group, code[pc], mask);
    if (warp.fault != FaultKind::none) {
      warp.fault_line = code[pc].line;
      state = WarpState::faulted;
      break;
    }
  }
  warp.executed += executed;
  return state;
}

}  // namespace nvmlab::kernels
