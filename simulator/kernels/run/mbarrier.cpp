// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/mbarrier.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/run/block.hpp"
#include "kernels/run/groups.hpp"

namespace nvmlab::kernels {
namespace {

constexpr std::uint64_t kCount = (1U << 20) - 1;
constexpr std::uint64_t kBytes = (1U << 23) - 1;

// The 64 bits of a barrier, which PTX leaves to us.
struct Mbarrier {
  std::uint64_t pending : 20;
  std::uint64_t expected : 20;
  std::uint64_t phase : 1;
  std::uint64_t bytes : 23;  // that are to come; fewer than none until they are expected
};
static_assert(sizeof(Mbarrier) == 8);

std::uint32_t predicate_bits(const Warp& warp, Ref ref) {
  const std::uint32_t bits = *reinterpret_cast<const std::uint32_t*>(warp.base[ref.constant] + ref.at);
  return ref.wide != 0 ? ~bits : bits;
}

Mbarrier* barrier_at(Warp& warp, std::uint64_t address, std::uint32_t lane) {
  if (address % 8 != 0) {
    fail(warp, FaultKind::misaligned, lane, address, 8);
  } else if (!reachable(warp, address, 8)) {
    fail(warp, FaultKind::illegal_address, lane, address, 8);
  } else {
    return reinterpret_cast<Mbarrier*>(address);
  }
  return nullptr;
}

void end_phase(Mbarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  barrier.pending = barrier.expected;
  barrier.phase = barrier.phase ^ 1U;
}

void step(Mbarrier& barrier, BarrierStep how, std::uint64_t count) {
  switch (how) {
    case BarrierStep::init:
      barrier = {.pending = count & kCount, .expected = count & kCount, .phase = 0, .bytes = 0};
      return;
    case BarrierStep::invalidate:
      barrier = {};
      return;
    case BarrierStep::expect:
      barrier.bytes = (barrier.bytes + count) & kBytes;
      return;
    case BarrierStep::complete:
      barrier.bytes = (barrier.bytes - count) & kBytes;
      break;
    case BarrierStep::drop:
      barrier.expected = (barrier.expected - count) & kCount;
      [[fallthrough]];
    default:
      barrier.pending = (barrier.pending - count) & kCount;
  }
  if (how != BarrierStep::no_complete) end_phase(barrier);
}

}  // namespace

void step_mbarrier(Warp& warp, const Instruction& code, std::uint32_t mask) {
  for_each_lane(warp, mask, [&](std::uint32_t lane) {
    Mbarrier* const barrier = barrier_at(warp, value_of(warp, code.r[1], lane), lane);
    if (barrier == nullptr) return;
    if (code.r[0].used != 0) put_value(warp, code.r[0], lane, std::bit_cast<std::uint64_t>(*barrier));
    if (code.r[3].used != 0) step(*barrier, BarrierStep::expect, value_of(warp, code.r[3], lane));
    step(*barrier, static_cast<BarrierStep>(code.imm),
         code.r[2].used != 0 ? value_of(warp, code.r[2], lane) & 0xFFFFFFFF : 1);
  });
}

void test_mbarrier(Warp& warp, const Instruction& code, std::uint32_t mask) {
  std::uint32_t over = 0;
  for_each_lane(warp, mask, [&](std::uint32_t lane) {
    const Mbarrier* const barrier = barrier_at(warp, value_of(warp, code.r[1], lane), lane);
    if (barrier == nullptr) return;
    const std::uint64_t asked = value_of(warp, code.r[2], lane);
    const std::uint64_t phase = code.imm != 0 ? asked & 1 : std::uint64_t{std::bit_cast<Mbarrier>(asked).phase};
    over |= static_cast<std::uint32_t>(phase != barrier->phase) << lane;
  });
  auto& bits = *reinterpret_cast<std::uint32_t*>(warp.base[0] + code.r[0].at);
  bits = (bits & ~mask) | over;
}

void pending_of_state(Warp& warp, const Instruction& code, std::uint32_t mask) {
  for_each_lane(warp, mask, [&](std::uint32_t lane) {
    put_value(warp, code.r[0], lane, std::bit_cast<Mbarrier>(value_of(warp, code.r[1], lane)).pending);
  });
}

void copy_async(Warp& warp, const Instruction& code, std::uint32_t mask) {
  const std::uint32_t ignored = code.r[3].used != 0 ? predicate_bits(warp, code.r[3]) : 0;
  for_each_lane(warp, mask, [&](std::uint32_t lane) {
    const std::uint64_t to = value_of(warp, code.r[0], lane);
    const std::uint64_t from = value_of(warp, code.r[1], lane);
    std::uint64_t bytes = code.r[2].used != 0 ? value_of(warp, code.r[2], lane) & 0xFFFFFFFF : code.imm;
    bytes = (ignored >> lane & 1) != 0 ? 0 : std::min(bytes, code.imm);
    if (to % code.imm != 0 || from % code.imm != 0)
      return fail(warp, FaultKind::misaligned, lane, to % code.imm != 0 ? to : from,
                  static_cast<std::uint32_t>(code.imm));
    if (!may_reach(warp, to, code.imm, lane) || !may_reach(warp, from, bytes, lane)) return;
    char read[16] = {};
    if (bytes != 0) std::memcpy(read, reinterpret_cast<const void*>(from), bytes);
    std::memcpy(reinterpret_cast<void*>(to), read, code.imm);
  });
}

void copy_bulk(Warp& warp, const Instruction& code, std::uint32_t mask) {
  for_each_lane(warp, mask, [&](std::uint32_t lane) {
    const std::uint64_t to = value_of(warp, code.r[0], lane);
    const std::uint64_t from = value_of(warp, code.r[1], lane);
    const std::uint64_t bytes = value_of(warp, code.r[2], lane) & 0xFFFFFFFF;
    if (to % 16 != 0 || from % 16 != 0 || bytes % 16 != 0)
      return fail(warp, FaultKind::misaligned, lane, to % 16 != 0 ? to : from, 16);
    if (!may_reach(warp, to, bytes, lane) || !may_reach(warp, from, bytes, lane)) return;
    if (bytes != 0) std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    if (code.r[3].used == 0) return;
    Mbarrier* const barrier = barrier_at(warp, value_of(warp, code.r[3], lane), lane);
    if (barrier != nullptr) step(*barrier, BarrierStep::complete, bytes);
  });
}

}  // namespace nvmlab::kernels
