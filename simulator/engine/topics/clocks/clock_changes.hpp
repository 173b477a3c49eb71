// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of the clocks. Tests: tests/drivers/functions/clocks_test.cpp, performance_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

struct SetApplicationClocks {
  std::uint32_t memory_mhz;
  std::uint32_t graphics_mhz;
};

struct ResetApplicationClocks {};

struct SetAutoBoost {
  std::uint32_t enabled;
};

// Holds the graphics clock within a range. Its ends are clocks, or both are symbols that stand for one.
struct LockGraphicsClocks {
  std::uint32_t low_mhz;
  std::uint32_t high_mhz;
};

// The symbols, as large as no clock is: NVML_CLOCK_LIMIT_ID_*.
inline constexpr std::uint32_t kClockSymbols = 0xffffff00;
inline constexpr std::uint32_t kClockOfTdp = kClockSymbols + 1;
inline constexpr std::uint32_t kUnlimitedClock = kClockSymbols + 2;

struct UnlockGraphicsClocks {};

struct LockMemoryClocks {
  std::uint32_t low_mhz;
  std::uint32_t high_mhz;
};

struct UnlockMemoryClocks {};

enum class OffsetDomain : std::uint32_t { graphics, memory, none };

inline constexpr std::uint32_t kFastestPstate = ~0u;

struct SetClockOffset {
  OffsetDomain domain;
  std::uint32_t pstate;  // its number, or kFastestPstate
  std::int32_t mhz;
};

Code make(const SetApplicationClocks& change, GpuEdit& gpu);
Code make(const ResetApplicationClocks& change, GpuEdit& gpu);
Code make(const SetAutoBoost& change, GpuEdit& gpu);
Code make(const LockGraphicsClocks& change, GpuEdit& gpu);
Code make(const UnlockGraphicsClocks& change, GpuEdit& gpu);
Code make(const LockMemoryClocks& change, GpuEdit& gpu);
Code make(const UnlockMemoryClocks& change, GpuEdit& gpu);
Code make(const SetClockOffset& change, GpuEdit& gpu);

// What root has opened to everybody.
bool open_to_all(const SetApplicationClocks& change, const GpuEdit& gpu);
bool open_to_all(const ResetApplicationClocks& change, const GpuEdit& gpu);
bool open_to_all(const SetAutoBoost& change, const GpuEdit& gpu);

}  // namespace nvmlab
