// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/run/cluster.hpp"
#include "kernels/run/groups.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::uint32_t kDeepestCall = 1024;

void leave_frames(Warp& warp, Frame* frame, std::uint32_t mask) {
  while (frame != nullptr) {
    Frame* const parent = frame->parent;
    frame->live &= ~mask;
    if (frame->live == 0) warp.spare.push_back(frame);
    frame = parent;
  }
}

// Copies one value of a call from one frame to another.
void pass(const Warp& warp, const Frame& from, const Passed& source, const Frame& to, const Passed& target,
          std::uint32_t lane) {
  char* const own = warp.local + lane * warp.local_stride;
  const auto place = [&](const Frame& frame, const Passed& passed) -> char* {
    if (!passed.in_register) return own + frame.local + passed.local;
    const char* const base = passed.ref.constant != 0 ? frame.constants : frame.registers;
    return const_cast<char*>(base) + passed.ref.at + lane * (passed.ref.wide != 0 ? 8U : 4U);
  };
  __builtin_memmove(place(to, target), place(from, source), std::min(source.bytes, target.bytes));
}

}  // namespace

Frame* make_frame(Warp& warp, const FunctionCode& function) {
  Frame* made = nullptr;
  for (std::size_t i = 0; i < warp.spare.size(); ++i) {
    if (warp.spare[i]->capacity < function.frame_bytes) continue;
    made = warp.spare[i];
    warp.spare.erase(warp.spare.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (made == nullptr) {
    warp.frames.push_back(std::make_unique<Frame>());
    made = warp.frames.back().get();
    made->memory = std::make_unique<char[]>(function.frame_bytes + 64);
    made->capacity = function.frame_bytes;
    const auto address = reinterpret_cast<std::uintptr_t>(made->memory.get());
    made->registers = made->memory.get() + (64 - address % 64) % 64;
  }
  made->function = &function;
  made->constants = function.constants.data() + function.constants_at;
  made->parent = nullptr;
  made->local = 0;
  made->depth = 0;
  return made;
}

void call(Warp& warp, Group& group, const Instruction& code, std::uint32_t mask) {
  Frame& from = *group.frame;
  const CallSite& site = from.function->call_sites[code.target];
  const Program& program = *warp.block->launch->program;
  std::uint32_t callee = site.callee;
  if (site.indirect) {
    const std::uint64_t wanted = value_of(warp, site.address, first_of(mask));
    std::uint32_t same = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      if (value_of(warp, site.address, first_of(rest)) == wanted) same |= 1U << first_of(rest);
    }
    callee = static_cast<std::uint32_t>((wanted - kFunctionAddress) / 16);
    if (wanted < kFunctionAddress || callee >= program.functions.size() || program.functions[callee].code.empty())
      return fail(warp, FaultKind::pc, first_of(mask), wanted);
    if (same != group.mask) split(warp, group, group.mask & ~same, (mask & ~same) != 0 ? group.pc : group.pc + 1);
    // Lanes that do not call and lanes that call something else may have parted in one: the guard tells them again.
    mask = same;
  } else if (mask != group.mask) {
    split(warp, group, group.mask & ~mask, group.pc + 1);
  }
  group.mask = mask;
  if (site.builtin != Builtin::none) {
    for (std::uint32_t rest = mask; rest != 0 && warp.fault == FaultKind::none; rest &= rest - 1)
      call_builtin(warp, site, first_of(rest));
    ++group.pc;
    return;
  }
  const FunctionCode& function = program.functions[callee];
  const std::uint32_t align = function.local_align;  // a power of two
  const std::uint32_t local = (from.local + from.function->local_bytes + align - 1) / align * align;
  if (from.depth >= kDeepestCall || local + function.local_bytes > warp.local_stride)
    return fail(warp, FaultKind::stack, first_of(mask));
  Frame* const made = make_frame(warp, function);
  made->parent = &from;
  made->return_to = group.pc + 1;
  made->live = mask;
  made->local = local;
  made->depth = from.depth + 1;
  const std::size_t count = std::min(site.arguments.size(), function.arguments.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      pass(warp, from, site.arguments[i], *made, function.arguments[i], first_of(rest));
  }
  group.frame = made;
  group.pc = 0;
}

void exit_lanes(Warp& warp, Group& group, std::uint32_t mask) {
  leave_frames(warp, group.frame, mask);
  warp.live &= ~mask;
  warp.block->live -= static_cast<std::uint32_t>(std::popcount(mask));
  leave_cluster(warp, mask);
  group.mask &= ~mask;
  ++group.pc;
  if (group.mask == 0) remove_group(warp, static_cast<std::uint32_t>(&group - warp.groups));
  release_barriers(*warp.block);
}

void leave(Warp& warp, Group& group, std::uint32_t mask) {
  Frame& frame = *group.frame;
  if (frame.parent == nullptr) return exit_lanes(warp, group, mask);
  if (mask != group.mask) split(warp, group, group.mask & ~mask, group.pc + 1);
  Frame& parent = *frame.parent;
  const CallSite& site = parent.function->call_sites[parent.function->code[frame.return_to - 1].target];
  const std::size_t count = std::min(site.results.size(), frame.function->results.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      pass(warp, frame, frame.function->results[i], parent, site.results[i], first_of(rest));
  }
  group.mask = mask;
  group.pc = frame.return_to;
  group.frame = &parent;
  frame.live &= ~mask;
  if (frame.live == 0) warp.spare.push_back(&frame);
}

}  // namespace nvmlab::kernels
