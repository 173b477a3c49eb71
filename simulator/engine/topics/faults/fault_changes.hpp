// SPDX-License-Identifier: Apache-2.0
//
// Faults that befall a GPU, and their end. A fault counts and raises its events at once, and holds what it holds in the
// state until it is healed: by a reset where that is what hardware wants, else by HealFault, which undoes that one
// fault and nothing else. Counters stay where they are, as on hardware. Tests: tests/unit/changes/faults_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"
#include "engine/topics/faults/fault_kinds.hpp"

namespace nvmlab {

struct InjectFault {
  FaultKind kind;
  std::uint32_t number;        // of the Xid, link, fan, or place among kEccLocations; else 0
  std::uint32_t gpu_instance;  // kNoInstance: the whole GPU
  std::uint32_t compute_instance;
  std::uint32_t times;  // what it counts so often
};
inline constexpr std::uint32_t kMostTimes = 1'000'000;

// Also of what a writer that was killed began.
struct HealFault {
  static constexpr std::uint32_t kAnyNumber = ~std::uint32_t{0};

  bool all;
  FaultKind kind;        // of one: its kind
  std::uint32_t number;  // and its number, or kAnyNumber
};

// kInvalidArgument: no such kind or number. kNotSupported: the board has nothing that would show it.
// kInsufficientResources: it has kMaxFaults.
Code make(const InjectFault& change, GpuEdit& gpu);

// kNotFound: the GPU does not have it.
Code make(const HealFault& change, GpuEdit& gpu);

// What a reset leaves of the faults of a GPU, and what a driver does that initialises it anew.
void heal_by_reset(GpuEdit& gpu);
void heal_by_reload(GpuEdit& gpu);

}  // namespace nvmlab
