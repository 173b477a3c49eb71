// SPDX-License-Identifier: Apache-2.0
// Where the lanes of a memory operation reach: addresses of the host, checked. Tests:
// tests/unit/kernels/kernels_test.cpp.
#pragma once

#include "kernels/ops/lanes.hpp"
#include "kernels/run/cluster.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {

// False after a fault. r[4] is the address, unless it is known without a register.
inline bool addresses(Warp& warp, const Instruction& code, std::uint32_t mask, std::uint32_t size, std::uint64_t* at) {
  const auto space = static_cast<AddressSpace>(code.space);
  const std::uint64_t offset = code.imm;
  const auto own = reinterpret_cast<std::uint64_t>(warp.local);
  const std::uint64_t stride = warp.local_stride;
  if (space == AddressSpace::frame) {
    const std::uint64_t first = own + warp.local_frame + offset;
    each_lane(mask, [=](std::uint32_t i) { at[i] = first + i * stride; });
    return true;  // the loader has checked it
  }
  std::uint64_t base = offset;
  if (space == AddressSpace::shared) base += reinterpret_cast<std::uint64_t>(warp.block->shared);
  if (code.r[4].wide != 0) {
    const auto from = lanes<std::uint64_t>(warp, code.r[4]);
    each_lane(mask, [=](std::uint32_t i) { at[i] = from.get(i) + base; });
  } else {
    const auto from = lanes<std::uint32_t>(warp, code.r[4]);
    each_lane(mask, [=](std::uint32_t i) { at[i] = from.get(i) + base; });
  }
  std::uint64_t low = warp.known_begin;
  std::uint64_t high = warp.known_end;
  if (space == AddressSpace::shared) {
    low = reinterpret_cast<std::uint64_t>(warp.block->shared);
    high = low + warp.block->launch->shared_bytes;
  } else if (space == AddressSpace::local) {
    each_lane(mask, [=](std::uint32_t i) { at[i] += own + i * stride; });
    low = reinterpret_cast<std::uint64_t>(warp.block->local);
    high = low + warp.block->local_bytes;
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const std::uint64_t address = at[i];
    if ((address & (size - 1)) != 0) {
      fail(warp, FaultKind::misaligned, i, address, size);
      return false;
    }
    if (address >= low && address < high && size <= high - address) continue;
    if (space == AddressSpace::shared) {
      at[i] = peer_address(*warp.block, address - low, size);
      if (at[i] != 0) continue;
    }
    if (space != AddressSpace::generic || !reachable(warp, address, size)) {
      fail(warp, FaultKind::illegal_address, i, space == AddressSpace::shared ? address - low : address, size);
      return false;
    }
    low = warp.known_begin;
    high = warp.known_end;
  }
  return true;
}

}  // namespace nvmlab::kernels::NVMLAB_ISA
