// SPDX-License-Identifier: Apache-2.0
//
// What clients hold for a device is a number that looks like a pointer and is none:
//
//   bits 47-32  0x4E56, a range where no loader, heap or mapping of Linux puts anything; below 2^47 because some
//               languages cannot carry longer pointers
//   bits 31-28  kind of object
//   bits 27-16  generation of the object
//   bits 15-0   index, multiplied by an odd constant
//
// The multiplication spreads indices over all 65536 values such that a handle of one GPU with any one bit flipped is
// not a good handle of another. The object keeps its own handle; comparing the two tells foreign, stale and damaged
// handles without ever following one. Tests: tests/unit/machine/handle_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

enum class HandleKind : std::uint32_t {
  device = 1,
  event_set = 2,
  unit = 3,
  gpm_sample = 4,
  gpu_instance = 5,
  compute_instance = 6,
  mig_device = 7,
  system_event_set = 8
};

inline constexpr std::uint64_t kHandleTag = 0x4E56;
inline constexpr std::uint32_t kHandleSpread = 0x876D;  // odd
// Its inverse modulo 65536. No four neighbouring bits of it are equal: two indices whose spread differs in bit N alone
// are apart by the inverse shifted left by N, which then is 4096 or more, and no machine has that many GPUs.
inline constexpr std::uint32_t kHandleGather = 0x9A65;
static_assert(((kHandleSpread * kHandleGather) & 0xFFFF) == 1);

constexpr std::uint64_t make_handle(HandleKind kind, std::uint32_t generation, std::uint32_t index) {
  return kHandleTag << 32 | std::uint64_t{static_cast<std::uint32_t>(kind)} << 28 |
         std::uint64_t{generation & 0xFFF} << 16 | ((index * kHandleSpread) & 0xFFFF);
}

// The index that a good handle carries; says nothing about whether it is good.
constexpr std::uint32_t handle_index(std::uint64_t handle) {
  return (static_cast<std::uint32_t>(handle) * kHandleGather) & 0xFFFF;
}

// Processes find the GPUs that they know by the last bits of the handle, which differ among as many neighbours.
inline constexpr std::uint32_t kKnownHandles = 64;

// What MIG makes has a handle of its own kind with the index of its GPU, and 16 bits that the serial of the instance
// gives: no two that live at once have the same, and one that is gone does not come back before 65536 others were made.
inline constexpr std::uint32_t kGpuIndexBits = 12;

constexpr std::uint64_t make_instance_handle(HandleKind kind, std::uint32_t gpu, std::uint32_t generation,
                                             std::uint32_t serial) {
  const std::uint32_t tag = ((serial + generation) * kHandleSpread) & 0xFFFF;
  return kHandleTag << 32 | std::uint64_t{static_cast<std::uint32_t>(kind)} << 28 |
         std::uint64_t{tag} << kGpuIndexBits | gpu;
}

constexpr bool is_of_kind(std::uint64_t handle, HandleKind kind) {
  return handle >> 28 == (kHandleTag << 4 | static_cast<std::uint64_t>(kind));
}
constexpr std::uint32_t instance_gpu(std::uint64_t handle) {
  return static_cast<std::uint32_t>(handle) & ((1u << kGpuIndexBits) - 1);
}

}  // namespace nvmlab
