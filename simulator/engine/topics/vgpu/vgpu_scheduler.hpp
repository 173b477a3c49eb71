// SPDX-License-Identifier: Apache-2.0
//
// How the vGPUs of a GPU take turns: the policy, the length of a turn, and what there was to log of it. The log is
// computed from the time and from who takes part, so nothing is stored and everybody reads the same.
// Tests: tests/drivers/functions/vgpu_host_test.cpp, tests/unit/changes/vgpu_test.cpp.
#pragma once

#include <cstdint>

#include "engine/store/store.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kBestEffort = 1;
inline constexpr std::uint32_t kEqualShare = 2;
inline constexpr std::uint32_t kFixedShare = 3;
inline constexpr std::uint32_t kAdaptiveDefault = 0;
inline constexpr std::uint32_t kAdaptiveOff = 1;
inline constexpr std::uint32_t kAdaptiveOn = 2;

// What NVIDIA's guide gives as limits.
inline constexpr std::uint32_t kShortestTurnNs = 1'000'000;
inline constexpr std::uint32_t kLongestTurnNs = 30'000'000;
inline constexpr std::uint32_t kLowestFrequencyHz = 63;
inline constexpr std::uint32_t kHighestFrequencyHz = 960;
inline constexpr std::uint32_t kSmallestAverage = 1;
inline constexpr std::uint32_t kLargestAverage = 60;

struct VgpuSchedule {
  std::uint32_t policy = kBestEffort;
  std::uint32_t adaptive = kAdaptiveDefault;
  std::uint32_t average_factor = 33;
  std::uint32_t turn_ns = 2'083'333;  // 480 Hz
  std::uint32_t vgpus = 0;            // that take part
};

VgpuSchedule vgpu_schedule(const Store& store, std::uint32_t gpu);

struct VgpuTurn {
  std::uint64_t at_ns;         // when it ended
  std::uint64_t run_total_ns;  // of this vGPU so far
  std::uint64_t run_ns;
  std::uint32_t vgpu;  // which of those that take part
  std::uint64_t target_ns;
  std::uint64_t preempt_total_ns;
};

// Turn `back` of those that have ended before `now_ns`; 0 is the last one. vGPUs must take part.
VgpuTurn vgpu_turn(const VgpuSchedule& schedule, std::uint64_t since_ns, std::uint64_t now_ns, std::uint32_t back);

}  // namespace nvmlab
