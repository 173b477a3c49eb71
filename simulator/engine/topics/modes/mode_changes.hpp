// SPDX-License-Identifier: Apache-2.0
//
// Switches of a GPU with a rule of their own. Tests: tests/drivers/functions/reset_test.cpp, drain_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

struct SetDramEncryption {
  std::uint32_t enabled;
};

// Which calls take root.
struct SetApiRestriction {
  enum class Api : std::uint32_t { application_clocks, auto_boost };
  Api api;
  std::uint32_t restricted;
};

inline constexpr std::uint32_t kHostVgpu = 3;
inline constexpr std::uint32_t kHostVsga = 4;

struct SetVirtualizationMode {
  std::uint32_t mode;
};

struct SetRusdPollMask {
  std::uint64_t groups;
};

struct SetDrain {
  std::uint32_t draining;
};

Code make(const SetDramEncryption& change, GpuEdit& gpu);
Code make(const SetApiRestriction& change, GpuEdit& gpu);
Code make(const SetVirtualizationMode& change, GpuEdit& gpu);
Code make(const SetRusdPollMask& change, GpuEdit& gpu);
Code make(const SetDrain& change, GpuEdit& gpu);

}  // namespace nvmlab
