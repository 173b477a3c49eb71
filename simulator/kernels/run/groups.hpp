// SPDX-License-Identifier: Apache-2.0
// Groups of lanes, the frames in which they are, and what each lane has: what warps, calls and instructions that are no
// handlers of all lanes at once have in common. Tests:
// tests/unit/kernels/kernels_test.cpp.
#pragma once

#include <bit>

#include "kernels/run/warp.hpp"

namespace nvmlab::kernels {

inline std::uint32_t first_of(std::uint32_t mask) { return static_cast<std::uint32_t>(std::countr_zero(mask)); }

inline std::uint64_t value_of(const Warp& warp, Ref ref, std::uint32_t lane) {
  const char* const at = warp.base[ref.constant] + ref.at;
  return ref.wide != 0 ? reinterpret_cast<const std::uint64_t*>(at)[lane]
                       : reinterpret_cast<const std::uint32_t*>(at)[lane];
}

inline void put_value(Warp& warp, Ref ref, std::uint32_t lane, std::uint64_t value) {
  char* const to = warp.base[0] + ref.at;
  if (ref.wide != 0) {
    reinterpret_cast<std::uint64_t*>(to)[lane] = value;
  } else {
    reinterpret_cast<std::uint32_t*>(to)[lane] = static_cast<std::uint32_t>(value);
  }
}

// body(lane) for one after the other, until something is wrong.
template <class Body>
void for_each_lane(const Warp& warp, std::uint32_t mask, Body body) {
  for (; mask != 0 && warp.fault == FaultKind::none; mask &= mask - 1)
    body(first_of(mask));
}

// False: the lane may not, and has failed.
inline bool may_reach(Warp& warp, std::uint64_t address, std::uint64_t bytes, std::uint32_t lane) {
  if (bytes == 0 || reachable(warp, address, static_cast<std::uint32_t>(bytes))) return true;
  fail(warp, FaultKind::illegal_address, lane, address, static_cast<std::uint32_t>(bytes));
  return false;
}

// The lanes of `mask` go on at `pc`, by themselves.
inline void split(Warp& warp, const Group& from, std::uint32_t mask, std::uint32_t pc) {
  Group& made = warp.groups[warp.group_count++];
  made = from;
  made.mask = mask;
  made.pc = pc;
  made.state = GroupState::ready;
}

inline void remove_group(Warp& warp, std::uint32_t index) { warp.groups[index] = warp.groups[--warp.group_count]; }

// A frame for a function, used again where one of its size is free.
Frame* make_frame(Warp& warp, const FunctionCode& function);

void call(Warp& warp, Group& group, const Instruction& code, std::uint32_t mask);
void exit_lanes(Warp& warp, Group& group, std::uint32_t mask);
// To the caller, or of the kernel itself out of it.
void leave(Warp& warp, Group& group, std::uint32_t mask);

}  // namespace nvmlab::kernels
